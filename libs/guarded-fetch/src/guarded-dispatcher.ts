import { Agent, buildConnector, type Dispatcher } from 'undici';
import {
  checkProxiedHost,
  guardedSocket,
  proxyFor,
  refusalIn,
  type HostRules,
  type ProxySettings,
  type ResolveHost,
} from '@batuta/network';
import { wrapInPlainError } from './plain-error';
import { NO_TIME_LIMITS, proxyDispatcher } from './proxy-dispatcher';
import { wholeBodies } from './whole-bodies';

/** A dispatcher of fetch that opens connections only to hosts that the rules permit, directly or through the proxy for the address. */
export function guardedDispatcher(
  rules: HostRules,
  proxies: ProxySettings,
  resolve: ResolveHost | undefined,
): Dispatcher {
  const direct = new Agent({ ...NO_TIME_LIMITS, connect: guardedConnector(rules, resolve) });
  const routed: Dispatcher.DispatcherComposeInterceptor = (connectDirectly) => {
    const viaProxy = new Map<string, Dispatcher>();
    return (options, handler) => {
      const url = new URL(String(options.origin));
      const proxy = proxyFor(url, proxies);
      if (proxy === undefined) return connectDirectly(options, handler);
      checkNameForFetch(rules, url);
      const dispatcher = viaProxy.get(proxy) ?? proxyDispatcher(proxy);
      viaProxy.set(proxy, dispatcher);
      return dispatcher.dispatch(options, handler);
    };
  };
  return direct.compose(routed, wholeBodies);
}

function checkNameForFetch(rules: HostRules, url: URL): void {
  try {
    checkProxiedHost(rules, url);
  } catch (error) {
    throw wrapInPlainError(error);
  }
}

function guardedConnector(rules: HostRules, resolve: ResolveHost | undefined): buildConnector.connector {
  const startTls = buildConnector({});
  return (options, callback) => {
    const isTls = options.protocol === 'https:';
    try {
      const port = Number(options.port) || (isTls ? 443 : 80);
      const socket = guardedSocket(rules, options.hostname, port, resolve);
      const failed = (error: Error) => callback(refusalIn(error) ? wrapInPlainError(error) : error, null);
      socket.setNoDelay(true).setKeepAlive(true, 60_000).once('error', failed);
      socket.once('connect', () => {
        socket.off('error', failed);
        if (isTls) startTls({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      });
    } catch (error) {
      callback(wrapInPlainError(error), null);
    }
  };
}
