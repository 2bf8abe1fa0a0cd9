import { openTunnel, parseProxyUrl, ProxyStatusError } from '@batuta/network';
import { callbackify } from 'node:util';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { passOn } from './pass-on';
import { wrapInPlainError } from './plain-error';

/** Options of a dispatcher: the signal of a call alone limits its time. Without them undici ends a call that is silent for five minutes. */
export const NO_TIME_LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const;

/**
 * A dispatcher of fetch that makes all requests through a proxy: in a tunnel, or, to an http address by an http proxy, as requests to
 * the proxy. The ProxyAgent of undici is not used, because it connects again without a pause and without end to a proxy that closes a
 * connection instead of opening a tunnel.
 */
export function proxyDispatcher(proxy: string): Dispatcher {
  const { isTls, authorization } = parseProxyUrl(proxy);
  const toProxy = new Agent(NO_TIME_LIMITS);
  return new Agent({ ...NO_TIME_LIMITS, connect: tunnelConnector(proxy) }).compose(
    (dispatchInTunnel) => (options, handler) => {
      const { protocol, origin, host } = new URL(String(options.origin));
      if (isTls || protocol !== 'http:') return dispatchInTunnel(options, handler);
      const headers = Object.assign(
        { host },
        lowerCaseNames(options.headers ?? {}),
        authorization !== undefined && { 'proxy-authorization': authorization },
      );
      const request = { ...options, origin: new URL(proxy).origin, path: `${origin}${options.path}`, headers };
      return toProxy.dispatch(request, failOnProxyRefusal(handler));
    },
  );
}

/** Headers of fetch, which passes an object with the names as the sender spells them. */
function lowerCaseNames(headers: object): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Fails a request with status 407 itself, because fetch would fail it with `TypeError: fetch failed`, whose cause has no message. */
function failOnProxyRefusal(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
  const passing = passOn(handler);
  return {
    ...passing,
    onResponseStart: (controller, status, headers, text) => {
      if (status === 407) controller.abort(wrapInPlainError(new ProxyStatusError(status)));
      else passing.onResponseStart?.(controller, status, headers, text);
    },
  };
}

function tunnelConnector(proxy: string): buildConnector.connector {
  const startTls = buildConnector({});
  return (options, callback) => {
    const isTls = options.protocol === 'https:';
    const authority = options.port ? options.host : `${options.host}:${isTls ? 443 : 80}`;
    callbackify(openTunnel)(proxy, authority ?? '', (error, httpSocket) => {
      if (error) callback(wrapInPlainError(error), null);
      else if (isTls) startTls({ ...options, httpSocket }, callback);
      else callback(null, httpSocket);
    });
  };
}
