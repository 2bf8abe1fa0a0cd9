import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { proxyFor, type ProxySettings } from '@batuta/network';

/**
 * Connects through a tunnel of a proxy. Node sets no time limit for the TLS handshake in the tunnel: a proxy that opens the tunnel although its
 * target does not answer would hold the connection for ever.
 */
class TunnelAgent extends HttpsAgent {
  constructor(
    proxy: string,
    private readonly timeLimitMs: number,
  ) {
    super({ proxyEnv: { HTTPS_PROXY: proxy } });
  }

  override createConnection(...[options, callback]: Parameters<HttpsAgent['createConnection']>) {
    const socket = super.createConnection(options, (error, tunnel) => {
      clearTimeout(timer);
      // Node leaves the connection of a refused tunnel open and without a listener: its reset by the proxy would end the agent.
      if (error) socket?.destroy();
      callback?.(error, tunnel);
    });
    const late = () => socket?.destroy(new Error('the proxy opened no connection in time'));
    const timer = setTimeout(late, this.timeLimitMs);
    return socket;
  }
}

/**
 * The HTTP agent that connects through the proxy; undefined where the connection is direct. The time limit is that of the tunnel with the TLS
 * handshake in it.
 */
export function proxyAgent(url: string, proxies: ProxySettings, timeLimitMs: number): HttpAgent | undefined {
  const proxy = proxyFor(url, proxies);
  if (proxy === undefined) return undefined;
  return url.startsWith('wss:')
    ? new TunnelAgent(proxy, timeLimitMs)
    : new HttpAgent({ proxyEnv: { HTTP_PROXY: proxy } });
}
