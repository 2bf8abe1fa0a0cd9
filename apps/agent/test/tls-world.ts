import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { listenOnFreePort } from '../../../test/support/web-server';
import { testCertificate } from './test-certificate';

const TEST_CERTIFICATE = testCertificate();

/** For tests: writes the certificate of `tlsServer` into the folder. No machine trusts it; it is for localhost and 127.0.0.1. */
export function certificateFile(folder: string): string {
  const path = join(folder, 'authority.pem');
  writeFileSync(path, TEST_CERTIFICATE.cert);
  return path;
}

/** For tests: an HTTPS server. */
export function tlsServer(): Server {
  return createHttpsServer(TEST_CERTIFICATE);
}

/**
 * A port on which no program listens. The system may give a port that a test has closed to another program, but never this one, and
 * `fetch` does not refuse it by its number.
 */
export const CLOSED_PORT = 2;

/**
 * For tests: an HTTP proxy that records the requests that it gets. Its tunnels lead to this machine, whatever the name; any other request it
 * answers itself.
 */
export class ProxyServer {
  /** `CONNECT host:port` with the credentials, if any, or `GET http://…`. */
  readonly requests: string[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connect', ({ url = '', headers }, client: Socket) => {
      this.requests.push(`CONNECT ${url} ${headers['proxy-authorization'] ?? ''}`.trim());
      const target = connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connected\r\n\r\n');
        client.pipe(target).pipe(client);
      });
      for (const socket of [client, target]) this.sockets.add(socket.on('error', () => undefined));
    });
    server.on('request', ({ method, url }, response) => {
      this.requests.push(`${method} ${url}`);
      response.end('from the proxy');
    });
  }

  static async create(): Promise<ProxyServer & { url: string }> {
    const server = createHttpServer();
    const proxy = new ProxyServer(server);
    return Object.assign(proxy, { url: `http://user:word@127.0.0.1:${await listenOnFreePort(server)}` });
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.closeAllConnections();
    this.server.close();
  }
}
