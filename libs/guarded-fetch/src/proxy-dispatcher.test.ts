import { HostRules } from '@batuta/network';
import { once } from 'node:events';
import { createServer } from 'node:http';
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
