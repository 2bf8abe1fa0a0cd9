import { createServer } from 'node:http';
import { freePort } from './ports.cjs';

/** Starts the external system of the demo, which numbers orders at `POST /orders`: as `PED-0001` with the token, and as a quote `ORC-0001` without it. */
export async function startOrderServer({ token, port }) {
  let count = 0;
  const server = createServer((request, response) => {
    const answer = (status, body) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    request.resume().once('end', () => {
      if (request.method !== 'POST' || request.url !== '/orders') return answer(404, { problem: 'only POST /orders' });
      count += 1;
      const isOrder = request.headers.authorization === `Bearer ${token}`;
      return answer(isOrder ? 201 : 202, {
        orderNumber: `${isOrder ? 'PED' : 'ORC'}-${String(count).padStart(4, '0')}`,
      });
    });
  });
  // Agents must not reuse a connection that is about to be closed.
  server.keepAliveTimeout = 0;
  const bound = await listen(server, await freePort(port));
  return {
    port: bound,
    url: `http://127.0.0.1:${bound}/orders`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server, port) {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server.address().port));
  });
}
