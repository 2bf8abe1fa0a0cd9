import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Server } from 'node:net';

export interface WebServer {
  port: number;
  url: string;
  /** Ends the connections of its clients too. */
  stop: () => Promise<void>;
}

/** A web server on a free port of the loopback. */
export async function startWebServer(listener: RequestListener): Promise<WebServer> {
  const server = createServer(listener);
  const port = await listenOnFreePort(server);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Lets the server listen on a free port of the loopback, and returns the port. */
export async function listenOnFreePort(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
