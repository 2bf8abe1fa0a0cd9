import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Loads a package of the peers, which are installed apart from the project. */
export const requirePeer = createRequire(join(process.env.PEERS_FOLDER, 'package.json'));

/** The smallest HTTP server before an engine's client: `routes` by path, each of the parsed body, answered 200 as JSON. */
export function serveJson(routes) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'GET') return response.end();
      return routes[request.url](JSON.parse(Buffer.concat(chunks).toString())).then(
        (answer) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
        (error) => response.writeHead(500).end(String(error)),
      );
    });
  });
  server.listen(Number(process.env.PORT), '127.0.0.1');
}

/** The work of every handler: the same as that of the flow of one response step in the bench. */
export function answerOf({ matrix }) {
  return { taken: matrix.order, total: matrix.total };
}
