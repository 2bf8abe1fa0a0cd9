import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

const folder = join(__dirname, 'tls');
/** Of an authority that no machine trusts; for localhost and 127.0.0.1. The key is for tests only. */
export const CERTIFICATE_FILE = join(folder, 'cert.pem');

/** For tests: an HTTPS server. */
export function tlsServer(): Server {
  return createHttpsServer({ cert: readFileSync(CERTIFICATE_FILE), key: readFileSync(join(folder, 'key.pem')) });
}

export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** For tests: an HTTP proxy that connects every name to this machine and notes what was asked of it. */
export class ProxyServer {
  /** `CONNECT host:port` or `GET http://…`, with the credentials. */
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
    return Object.assign(proxy, { url: `http://user:word@127.0.0.1:${await listen(server)}` });
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.closeAllConnections();
    this.server.close();
  }
}
