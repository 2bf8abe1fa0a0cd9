import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { startWebServer, type WebServer } from '../../../test/support/web-server';
import { Batuta } from '.';

const servers: WebServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = await startWebServer(listener);
  servers.push(server);
  return server.url;
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
