import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { addProcess } from '../../test/processes';
import { createWorld, requireText, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;
let lines = '';
let written: jest.SpiedFunction<typeof fs.writeSync>;

beforeAll(async () => {
  // The writes to the file descriptor are recorded, because the logger writes to it directly and not through
  // process.stderr.
  const write = fs.writeSync;
  written = jest.spyOn(fs, 'writeSync').mockImplementation((fd, line, ...rest) => {
    if (fd !== 2) return Reflect.apply(write, fs, [fd, line, ...rest]);
    lines += line;
    return Buffer.byteLength(line);
  });
  world = await createWorld({ LOG_LEVEL: 'trace' });
});

afterAll(async () => {
  written.mockRestore();
  await world?.close();
});

test('no secret that the console receives or creates appears in its logs', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const typed = `typed-${randomUUID()}`;
  const secrets = [
    ana.token,
    ana.password,
    typed,
    requireText((await ana.must('POST', '/credentials', { label: 'a' })).value),
    requireText((await ana.must('POST', '/environments', { name: 'a' })).activationKey),
    requireText((await ana.must('POST', `/processes/${pid}/keys`, { identifier: 'a' })).value),
  ];
  const signature = { header: 'X-Signature', secret: typed };
  const origin = await ana.must('POST', `/processes/${pid}/origins`, { name: 'a', signature });
  secrets.push(requireText(origin.devUrl), requireText(origin.prodUrl));
  await ana.refusal('PATCH', `/origins/${requireText(origin.id)}`, {
    signature: { ...signature, header: typed, secret: 1 },
  });
  await ana.refusal('PATCH', `/origins/${requireText(origin.id)}`, `{"signature": {"secret": "${typed}`);
  await ana.must('PUT', '/vault/a', { value: typed });
  await ana.refusal('PUT', '/vault/a', { value: [typed] });
  await ana.must('POST', `/processes/${pid}/run`, { matrix: { token: typed } });
  await ana.refusal('PUT', '/vault/a', `{"value": "${typed}`);
  await world.store.write('RENAME TABLE vault_secret TO vault_away');
  const { error, message } = await ana.refusal('PUT', '/vault/a', { value: typed });
  await world.store.write('RENAME TABLE vault_away TO vault_secret');

  expect(error).toBe('500 INTERNAL');
  expect(lines).toContain('a request failed with an unexpected fault');
  expect(lines).toContain('/manage/v1/vault/:key');
  for (const secret of secrets) expect(lines + message).not.toContain(secret);
  expect(lines).not.toContain('argon2');
});
