import { readConsoleConfig } from './config';

const REQUIRED_SETTINGS = {
  DATABASE_URL: 'mysql://user:password@127.0.0.1:1/batuta',
  NATS_URL: 'nats://127.0.0.1:1',
  SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
  OPERATOR_EMAIL: 'operator@example.com',
  OPERATOR_PASSWORD: 'long enough to be one',
};

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/', 'https://api.example.com'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['https://example.com/batuta//', 'https://example.com/batuta'],
])('GATEWAY_PUBLIC_URL %s becomes %s', (text, read) => {
  expect(readConsoleConfig({ ...REQUIRED_SETTINGS, GATEWAY_PUBLIC_URL: text }).GATEWAY_PUBLIC_URL).toBe(read);
});

test.each([undefined, '', 'api.example.com', 'ftp://api.example.com', 'https://api.example.com?a=1', 'https://a.b/#c'])(
  'the console refuses GATEWAY_PUBLIC_URL %s, with which nobody could call the webhook URLs',
  (text) => {
    expect(() => readConsoleConfig({ ...REQUIRED_SETTINGS, GATEWAY_PUBLIC_URL: text })).toThrow(/GATEWAY_PUBLIC_URL/);
  },
);
