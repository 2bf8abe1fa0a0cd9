import { randomUUID } from 'node:crypto';
import { processOf } from '../../test/processes';
import { createWorld, textOf, type World } from '../../test/world';

let world: World;
let lines = '';

// pino writes directly to the file descriptor, so the test listens to the function that writes to it.
jest.mock('pino', () => {
  const real = jest.requireActual<typeof import('pino')>('pino');
  const sink = { write: (line: string) => void (lines += line) };
  const pino = Object.assign((options: object) => real.pino(options, sink), real.pino);
  return { ...real, pino };
});

beforeAll(async () => {
  world = await createWorld({ LOG_LEVEL: 'trace' });
});

afterAll(() => world?.close());

test('no secret that the console receives or creates appears in its logs', async () => {
  const ana = await world.person();
  const pid = await processOf(ana);
  const typed = `typed-${randomUUID()}`;
  const secrets = [
    ana.token,
    ana.password,
    typed,
    textOf((await ana.must('POST', '/credentials', { label: 'a' })).value),
    textOf((await ana.must('POST', '/environments', { name: 'a' })).activationKey),
    textOf((await ana.must('POST', `/processes/${pid}/keys`, { identifier: 'a' })).value),
  ];
  const signature = { header: 'X-Signature', secret: typed };
  const origin = await ana.must('POST', `/processes/${pid}/origins`, { name: 'a', signature });
  secrets.push(textOf(origin.devUrl), textOf(origin.prodUrl));
  await ana.refusal('PATCH', `/origins/${textOf(origin.id)}`, {
    signature: { ...signature, header: typed, secret: 1 },
  });
  await ana.refusal('PATCH', `/origins/${textOf(origin.id)}`, `{"signature": {"secret": "${typed}`);
  await ana.must('PUT', '/vault/a', { value: typed });
  await ana.refusal('PUT', '/vault/a', { value: [typed] });
  await ana.must('POST', `/processes/${pid}/run`, { matrix: { token: typed } });
  await ana.refusal('PUT', '/vault/a', `{"value": "${typed}`);
  await world.store.write('RENAME TABLE vault_secret TO vault_away');
  const { error, message } = await ana.refusal('PUT', '/vault/a', { value: typed });
  await world.store.write('RENAME TABLE vault_away TO vault_secret');

  expect(error).toBe('500 INTERNAL');
  expect(lines).toContain('unexpected fault');
  expect(lines).toContain('/manage/v1/vault/:key');
  for (const secret of secrets) expect(lines + message).not.toContain(secret);
  expect(lines).not.toContain('argon2');
});
