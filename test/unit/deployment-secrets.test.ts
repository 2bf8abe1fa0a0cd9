import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SECRET_NAME } from '../support/deployment/environment-rules';
import { namesReadBy, SETTINGS_READERS, sampleSecret, type SettingsReader } from '../support/deployment/settings';

/** Settings that are secrets although their names do not say so: addresses that may carry a password. */
const SECRET_ADDRESSES = ['DATABASE_URL', 'NATS_URL', 'HTTP_PROXY', 'HTTPS_PROXY'];

const isSecret = (name: string) =>
  (SECRET_NAME.test(name) && !name.startsWith('QUOTA_')) || name.endsWith('_KEY_ID') || SECRET_ADDRESSES.includes(name);

/** Settings without which a program does not start, with sample values. */
const REQUIRED_SETTINGS: Record<string, string> = {
  DATABASE_URL: 'mysql://batuta:sample@127.0.0.1:3306/batuta',
  NATS_URL: 'nats://batuta:sample@127.0.0.1:4222',
  SECRET_KEYS: sampleSecret('SECRET_KEYS'),
  OPERATOR_EMAIL: sampleSecret('OPERATOR_EMAIL'),
  OPERATOR_PASSWORD: 'sample-password',
  GATEWAY_PUBLIC_URL: sampleSecret('GATEWAY_PUBLIC_URL'),
  BATUTA_ROUTER_URL: 'https://router.example.com',
  BATUTA_AGENT_KEY: 'sample',
};

/** Valid settings with this secret. */
function settingsWith(name: string): Record<string, string> {
  const address = name.replace('_PASSWORD', '_URL');
  if (name === 'DATABASE_PASSWORD' || name === 'NATS_PASSWORD')
    return { ...REQUIRED_SETTINGS, [address]: (REQUIRED_SETTINGS[address] ?? '').replace(':sample', ''), [name]: 'x' };
  if (name.endsWith('_PROXY')) return { ...REQUIRED_SETTINGS, [name]: 'http://user:sample@proxy.example.com:3128' };
  return { ...REQUIRED_SETTINGS, [name]: REQUIRED_SETTINGS[name] ?? 'sample' };
}

const another = (value: string) => value.replace('sample', 'simple').replace('k1:', 'k3:').replace(/^x$/, 'y');

const secretsOf = (read: SettingsReader) => [...namesReadBy(read, REQUIRED_SETTINGS)].filter(isSecret).toSorted();
const CASES = Object.entries(SETTINGS_READERS).flatMap(([program, read]) =>
  secretsOf(read).map((name) => ({ program, name, read })),
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-secret-files-'));
});
afterAll(() => rm(folder, { recursive: true }));

test.each(CASES)('$program reads the secret $name also from a file', async ({ name, read }) => {
  const { [name]: value = '', ...others } = settingsWith(name);
  const path = join(folder, name);
  await writeFile(path, `${value}\n`);
  expect(read({ ...others, [`${name}_FILE`]: path })).toEqual(read({ ...others, [name]: value }));
  expect(read({ ...others, [name]: value })).not.toEqual(read({ ...others, [name]: another(value) }));
  expect(() => read({ ...others, [name]: value, [`${name}_FILE`]: path })).toThrow(
    `${name}_FILE: must not be given together with ${name}`,
  );
});

test('every program has secrets, and the services have those of database and NATS', () => {
  const found = (program: string) => CASES.filter((each) => each.program === program).map(({ name }) => name);
  expect(found('dist/apps/gateway/main.js')).toEqual([
    'DATABASE_PASSWORD',
    'DATABASE_URL',
    'NATS_PASSWORD',
    'NATS_URL',
  ]);
  expect(found('dist/apps/console/main.js')).toEqual(expect.arrayContaining(['OPERATOR_PASSWORD', 'SECRET_KEYS']));
  expect(found('dist/apps/execution/main.js')).toEqual(
    expect.arrayContaining(['EVIDENCE_S3_ACCESS_KEY_ID', 'EVIDENCE_S3_SECRET_ACCESS_KEY', 'SECRET_KEYS']),
  );
  expect(found('dist/apps/agent/main.js')).toEqual(['BATUTA_AGENT_KEY', 'HTTPS_PROXY', 'HTTP_PROXY']);
});
