import { readAllInOneConfig } from './config';

const env = {
  DATABASE_URL: 'mysql://user:password@127.0.0.1:1/batuta',
  NATS_URL: 'nats://127.0.0.1:1',
  SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
  OPERATOR_EMAIL: 'operator@example.com',
  OPERATOR_PASSWORD: 'long enough to be one',
};

test('each service reads the port of its own name and ignores PORT', () => {
  const ports = {
    PORT: '1',
    EXECUTION_PORT: '2',
    ROUTER_PORT: '3',
    CONSOLE_PORT: '4',
    SCHEDULE_PORT: '5',
    WEBHOOK_PORT: '6',
  };
  const config = readAllInOneConfig({ ...env, ...ports });
  expect(Object.fromEntries(Object.entries(config).map(([name, { PORT }]) => [name, PORT]))).toEqual({
    execution: 2,
    router: 3,
    schedule: 5,
    webhook: 6,
    console: 4,
    gateway: 0,
  });
});

test('each service may have a database user of its own', () => {
  const own = 'mysql://batuta_webhook:password@127.0.0.1:1/batuta';
  const config = readAllInOneConfig({ ...env, WEBHOOK_DATABASE_URL: own });
  expect(config.webhook.DATABASE_URL).toBe(own);
  expect(config.gateway.DATABASE_URL).toBe(env.DATABASE_URL);
});

test('the error names a setting that one service lacks', () => {
  expect(() => readAllInOneConfig({ ...env, OPERATOR_PASSWORD: '' })).toThrow(/OPERATOR_PASSWORD/);
});
