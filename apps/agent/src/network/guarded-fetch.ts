import { isNativeError } from 'node:util/types';
import { Agent, buildConnector, ProxyAgent, type Dispatcher } from 'undici';
import { HostRefusedError, type HostRules } from './host-rules';
import { guardedSocket, type Resolve } from './guarded-socket';
import { NO_PROXIES, proxyFor, type ProxySettings } from './proxy';

/**
 * `fetch` for steps: every connection, also that of each redirect, goes only where the rules permit, or to the proxy for it.
 * Rejects with HostRefusedError otherwise.
 */
export function guardedFetch(rules: HostRules, proxies: ProxySettings = NO_PROXIES, resolve?: Resolve): typeof fetch {
  const direct = new Agent({ connect: guardedConnector(rules, resolve) });
  const dispatcher = direct.compose((connectDirectly) => {
    const viaProxy = new Map<string, Dispatcher>();
    return (options, handler) => {
      const url = new URL(String(options.origin));
      const proxy = proxyFor(url, proxies);
      if (proxy === undefined) return connectDirectly(options, handler);
      checkName(rules, url);
      const agent = viaProxy.get(proxy) ?? new ProxyAgent({ uri: proxy, proxyTunnel: false });
      viaProxy.set(proxy, agent);
      return agent.dispatch(options, handler);
    };
  });
  return async (input, init) => {
    try {
      return await fetch(input, { ...init, dispatcher });
    } catch (error) {
      throw refusalIn(error) ?? error;
    }
  };
}

/** A proxy resolves names by itself: only the name, or an address in its place, can be checked. */
function checkName(rules: HostRules, { protocol, hostname, port }: URL): void {
  try {
    rules.permitted(hostname, Number(port) || (protocol === 'https:' ? 443 : 80));
  } catch (error) {
    throw plainError(error);
  }
}

function guardedConnector(rules: HostRules, resolve: Resolve | undefined): buildConnector.connector {
  const startTls = buildConnector({});
  return (options, callback) => {
    const isTls = options.protocol === 'https:';
    try {
      const port = Number(options.port) || (isTls ? 443 : 80);
      const socket = guardedSocket(rules, options.hostname, port, resolve);
      const failed = (error: Error) => callback(error instanceof HostRefusedError ? plainError(error) : error, null);
      socket.setNoDelay(true).setKeepAlive(true, 60_000).once('error', failed);
      socket.once('connect', () => {
        socket.off('error', failed);
        if (isTls) startTls({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      });
    } catch (error) {
      callback(plainError(error), null);
    }
  };
}

/** fetch passes on a plain Error as its cause, but may replace errors of other classes by their text. */
function plainError(error: unknown): Error {
  return new Error('the connection was not made', { cause: error });
}

/** The reason of fetch's error, also among the failed attempts at several addresses. */
function refusalIn(error: unknown): HostRefusedError | undefined {
  if (error instanceof HostRefusedError) return error;
  if (error instanceof AggregateError) return error.errors.map(refusalIn).find((refusal) => refusal !== undefined);
  return isNativeError(error) && error.cause !== undefined ? refusalIn(error.cause) : undefined;
}
