import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A `require` for the packages of the peers, which are installed apart from the project. */
export const requirePeer = createRequire(join(process.env.PEERS_FOLDER, 'package.json'));

/**
 * Starts a minimal HTTP server for the client of an engine, on PORT. `routes` = by path, a function of the parsed body, whose result is answered
 * as JSON with 200; its failure with 500. Every GET is answered 200, for the check whether the program is ready.
 */
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

/** The answer of every handler, the same as that of the flow with one response step in the bench. */
export function answerOf({ matrix }) {
  return { taken: matrix.order, total: matrix.total };
}
