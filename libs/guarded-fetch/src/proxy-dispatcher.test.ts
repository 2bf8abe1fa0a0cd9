import { HostRules } from '@batuta/network';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { guardedFetch } from './guarded-fetch';

test('a proxy gets its own credentials and the host of the address, in whatever spelling the sender has such headers', async () => {
  let received: string[] = [];
  const proxy = createServer(({ rawHeaders }, response) => {
    received = rawHeaders;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const url = `http://user:word@127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  try {
    const fetcher = guardedFetch(HostRules.of(), { http: url, https: undefined, none: [] });
    const headers = { Host: 'shop.example', 'Proxy-Authorization': 'Basic other' };
    await (await fetcher('http://erp.example/orders', { headers })).text();
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
  const valuesOf = (name: string) => received.filter((_, index) => received[index - 1]?.toLowerCase() === name);
  expect(valuesOf('host')).toEqual(['erp.example']);
  expect(valuesOf('proxy-authorization')).toEqual([`Basic ${Buffer.from('user:word').toString('base64')}`]);
});

test('an answer of a proxy that comes after an interim one is read', async () => {
  const proxy = createSocketServer((socket) => {
    socket.once('data', () =>
      socket.end('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
    );
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  try {
    const fetcher = guardedFetch(HostRules.of(), { http: url, https: undefined, none: [] });
    const response = await fetcher('http://erp.example/orders');
    expect([response.status, await response.text()]).toEqual([200, 'ok']);
  } finally {
    proxy.close();
  }
});
