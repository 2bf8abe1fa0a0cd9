import type * as http from 'node:http';
import type { Socket } from 'node:net';
import { CONNECT_TIME_LIMIT_MS } from './guarded-socket';

/** Where a proxy listens, and the value of the header `Proxy-Authorization` that it gets. */
export interface ProxyServer {
  isTls: boolean;
  at: { host: string; port: number };
  authorization?: string;
}

/** With this HTTP status the proxy refused to open a tunnel, or (407 only) to forward an HTTP request without TLS. */
export class ProxyStatusError extends Error {
  constructor(readonly status: number) {
    super(`the proxy answered with status ${status}`);
  }
}

/** Reads the URL of a proxy. */
export function parseProxyUrl(proxy: string): ProxyServer {
  const { protocol, hostname, port, username, password } = new URL(proxy);
  const isTls = protocol === 'https:';
  const at = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || (isTls ? 443 : 80) };
  if (username === '') return { isTls, at };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { isTls, at, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** The address of a proxy for messages, without its user and password. */
export function shownProxy(proxy: string): string {
  return new URL(proxy).origin;
}

/**
 * Opens a tunnel to `authority`, which is `host:port`. Rejects with ProxyStatusError when the proxy refuses, ETIMEDOUT when it stays silent, and
 * the error of the connection to the proxy.
 */
export function openTunnel(proxy: string, authority: string): Promise<Socket> {
  const { isTls, at, authorization } = parseProxyUrl(proxy);
  // Loaded here, because every process of an execution loads this file, and few open a tunnel.
  const { request }: typeof http = isTls ? require('node:https') : require('node:http');
  return new Promise((resolve, reject) => {
    const connectRequest = request({
      ...at,
      method: 'CONNECT',
      path: authority,
      agent: false,
      timeout: CONNECT_TIME_LIMIT_MS,
      headers: { host: authority, ...(authorization !== undefined && { 'proxy-authorization': authorization }) },
    });
    connectRequest.once('connect', ({ statusCode = 0 }, socket, head) => {
      if (statusCode !== 200) {
        socket.destroy();
        return reject(new ProxyStatusError(statusCode));
      }
      // The first bytes of the host, which came in one packet with the answer of the proxy.
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    connectRequest.once('response', ({ statusCode = 0 }) => {
      connectRequest.destroy();
      reject(new ProxyStatusError(statusCode));
    });
    connectRequest.once('timeout', () => connectRequest.destroy(lateProxy()));
    connectRequest.on('error', reject);
    connectRequest.end();
  });
}

function lateProxy(): Error {
  return Object.assign(new Error(`the proxy did not answer within ${CONNECT_TIME_LIMIT_MS} ms`), { code: 'ETIMEDOUT' });
}
