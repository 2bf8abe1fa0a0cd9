import { proxyFor } from './proxy';

const proxies = { http: 'http://plain:1', https: 'http://tls:1' };

test.each<[string, string | undefined, string]>([
  ['http://a.example/', 'http://plain:1', ''],
  ['ws://a.example/', 'http://plain:1', ''],
  ['https://a.example/', 'http://tls:1', ''],
  ['wss://a.example/', 'http://tls:1', ''],
  ['https://a.example/', undefined, 'a.example'],
  ['https://b.a.example/', undefined, 'a.example'],
  ['https://b.a.example/', undefined, '.a.example'],
  ['https://b.a.example/', undefined, 'x, *.a.example'],
  ['https://ba.example/', 'http://tls:1', 'a.example'],
  ['https://a.example/', undefined, '*'],
  ['https://10.1.2.3/', undefined, '10.0.0.0/8'],
  ['https://11.1.2.3/', 'http://tls:1', '10.0.0.0/8'],
  ['https://[fd00::1]:8443/', undefined, 'fd00::1'],
  ['https://a.example:8443/', undefined, 'a.example:8443'],
  ['https://a.example/', 'http://tls:1', 'a.example:8443'],
])('%s goes to %s with NO_PROXY=%j', (address, proxy, none) => {
  expect(proxyFor(address, { ...proxies, none: none.split(', ') })).toBe(proxy);
});

test('without a proxy for its scheme an address is reached directly', () => {
  expect(proxyFor('https://a.example/', { http: 'http://plain:1', https: undefined, none: [] })).toBeUndefined();
});
