import { HostRules } from '@batuta/network';
import { createServer } from 'node:net';
import { listenOnFreePort, startWebServer } from '../../../test/support/web-server';
import { guardedFetch } from './guarded-fetch';

test('a proxy gets its own credentials and the host of the address, in whatever spelling the sender has such headers', async () => {
  let received: string[] = [];
  const proxy = await startWebServer(({ rawHeaders }, response) => {
    received = rawHeaders;
    response.end();
  });
  const url = `http://user:word@127.0.0.1:${proxy.port}`;
  try {
    const fetcher = guardedFetch(HostRules.of(), { http: url, https: undefined, none: [] });
    const headers = { Host: 'shop.example', 'Proxy-Authorization': 'Basic other' };
    await (await fetcher('http://erp.example/orders', { headers })).text();
  } finally {
    await proxy.stop();
  }
  const valuesOf = (name: string) => received.filter((_, index) => received[index - 1]?.toLowerCase() === name);
  expect(valuesOf('host')).toEqual(['erp.example']);
  expect(valuesOf('proxy-authorization')).toEqual([`Basic ${Buffer.from('user:word').toString('base64')}`]);
});

test('an answer of a proxy that comes after an interim one is read', async () => {
  const proxy = createServer((socket) => {
    socket.once('data', () =>
      socket.end('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
    );
  });
  const url = `http://127.0.0.1:${await listenOnFreePort(proxy)}`;
  try {
    const fetcher = guardedFetch(HostRules.of(), { http: url, https: undefined, none: [] });
    const response = await fetcher('http://erp.example/orders');
    expect([response.status, await response.text()]).toEqual([200, 'ok']);
  } finally {
    proxy.close();
  }
});
