import { readWebhookConfig } from './config';

const read = (settings: NodeJS.ProcessEnv) =>
  readWebhookConfig({
    DATABASE_URL: 'mysql://user:password@127.0.0.1/batuta',
    NATS_URL: 'nats://127.0.0.1:4222',
    SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    ...settings,
  });

test('fifty calls of a process wait unless a setting says otherwise', () => {
  expect(read({}).WAITING_CALLS).toBe(50);
  expect(read({ WAITING_CALLS: '7' }).WAITING_CALLS).toBe(7);
  expect(() => read({ WAITING_CALLS: '0' })).toThrow(/WAITING_CALLS/);
});

test('names of hidden headers are read in lower case, without the spaces around them', () => {
  expect(read({}).HIDDEN_HEADERS).toEqual([]);
  expect(read({ HIDDEN_HEADERS: '' }).HIDDEN_HEADERS).toEqual([]);
  expect(read({ HIDDEN_HEADERS: 'X-Internal , x-trace' }).HIDDEN_HEADERS).toEqual(['x-internal', 'x-trace']);
});

test.each(['a b', 'x-a,', 'x-a;x-b', 'ção'])('refuses %j as names of headers', (HIDDEN_HEADERS) => {
  expect(() => read({ HIDDEN_HEADERS })).toThrow(/HIDDEN_HEADERS/);
});
