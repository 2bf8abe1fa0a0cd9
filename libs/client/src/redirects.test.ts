import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { Batuta } from '.';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

test.each([302, 308])('a redirect with %i is refused, so that no other server gets the process key', async (status) => {
  const received: IncomingHttpHeaders[] = [];
  const other = await serve(({ headers }, response) => {
    received.push(headers);
    response.end('{}');
  });
  const url = await serve(({ url: path }, response) =>
    response.writeHead(status, { location: `${other}${path}` }).end(),
  );
  const order = new Batuta({ url, credential: 'bat_live_a.b' }).process('p', 'bpk_1');
  const failure = { name: 'BatutaError', code: 'UNREADABLE', status, message: expect.stringContaining(`${other}/v1/`) };
  await expect(order.detail()).rejects.toMatchObject(failure);
  await expect(order.start()).rejects.toMatchObject(failure);
  expect(received).toEqual([]);
});
