import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { proxyFor, type ProxySettings } from '@batuta/network';

/** Time limit for a connection through a proxy, with the TLS handshake behind it. */
export const PROXY_CONNECT_TIME_LIMIT_MS = 10_000;

/**
 * Connects through a tunnel of a proxy. Node sets no time limit for the TLS handshake in the tunnel: a proxy that opens the tunnel although its
 * target does not answer would hold the connection for ever.
 */
class TunnelAgent extends HttpsAgent {
  override createConnection(...[options, callback]: Parameters<HttpsAgent['createConnection']>) {
    const socket = super.createConnection(options, (error, tunnel) => {
      clearTimeout(timer);
      callback?.(error, tunnel);
    });
    const late = () => socket?.destroy(new Error('the proxy opened no connection in time'));
    const timer = setTimeout(late, PROXY_CONNECT_TIME_LIMIT_MS);
    return socket;
  }
}

/** The HTTP agent that connects through the proxy; undefined where the connection is direct. */
export function proxyAgent(url: string, proxies: ProxySettings): HttpAgent | undefined {
  const proxy = proxyFor(url, proxies);
  if (proxy === undefined) return undefined;
  return url.startsWith('wss:')
    ? new TunnelAgent({ proxyEnv: { HTTPS_PROXY: proxy } })
    : new HttpAgent({ proxyEnv: { HTTP_PROXY: proxy } });
}
