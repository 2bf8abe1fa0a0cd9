import { readWebhookConfig } from './config';

const readConfigWith = (settings: NodeJS.ProcessEnv) =>
  readWebhookConfig({
    DATABASE_URL: 'mysql://user:password@127.0.0.1/batuta',
    NATS_URL: 'nats://127.0.0.1:4222',
    SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    ...settings,
  });

test('WAITING_CALLS is 50 by default and at least 1', () => {
  expect(readConfigWith({}).WAITING_CALLS).toBe(50);
  expect(readConfigWith({ WAITING_CALLS: '7' }).WAITING_CALLS).toBe(7);
  expect(() => readConfigWith({ WAITING_CALLS: '0' })).toThrow(/WAITING_CALLS/);
});

test('HIDDEN_HEADERS is read in lower case, without spaces around the names', () => {
  expect(readConfigWith({}).HIDDEN_HEADERS).toEqual([]);
  expect(readConfigWith({ HIDDEN_HEADERS: '' }).HIDDEN_HEADERS).toEqual([]);
  expect(readConfigWith({ HIDDEN_HEADERS: 'X-Internal , x-trace' }).HIDDEN_HEADERS).toEqual(['x-internal', 'x-trace']);
});

test.each(['a b', 'x-a,', 'x-a;x-b', 'ção'])('the setting HIDDEN_HEADERS=%j is refused', (HIDDEN_HEADERS) => {
  expect(() => readConfigWith({ HIDDEN_HEADERS })).toThrow(/HIDDEN_HEADERS/);
});
