import { GREETING_FLOW, addProcess } from '../../test/processes';
import {
  createWorld,
  asRecord,
  requireText,
  type ConsoleCaller,
  type TestPerson,
  type ConsoleWorld,
} from '../../test/world';
import { createConsole } from '../app';

const SMALL_QUOTA = 3;
/** One higher than the other quotas, because the administrator of the company counts as well. */
const ACCOUNT_QUOTA = SMALL_QUOTA + 1;
/** Higher than the quota of one process, so that two processes together reach it. */
const COMPANY_VERSION_QUOTA = SMALL_QUOTA + 1;

let world: ConsoleWorld;
let second: { url: string; close(): Promise<void> };
beforeAll(async () => {
  world = await createWorld({
    QUOTA_ACCOUNTS: String(ACCOUNT_QUOTA),
    QUOTA_COMPANY_VERSIONS: String(COMPANY_VERSION_QUOTA),
    ...Object.fromEntries(
      ['ENVIRONMENTS', 'PROCESSES', 'VERSIONS', 'CREDENTIALS', 'PROCESS_KEYS', 'SHARES', 'VAULT_KEYS'].map((name) => [
        `QUOTA_${name}`,
        String(SMALL_QUOTA),
      ]),
    ),
  });
  second = await createConsole(world.config);
});
afterAll(async () => {
  await second?.close();
  await world?.close();
});

/** The calls that a case makes: by which clients, to which route, and the body of call number `n`. */
interface QuotaCreation {
  by: ConsoleCaller[];
  method: string;
  path: string;
  body(n: number): unknown;
}

type PrepareCreation = (
  ana: TestPerson,
  replicas: ConsoleCaller[],
) => Promise<Omit<QuotaCreation, 'by'> & { by?: ConsoleCaller[] }>;

const QUOTA_CASES: [quota: string, setting: string, remedy: RegExp, prepare: PrepareCreation][] = [
  [
    'accounts',
    'QUOTA_ACCOUNTS',
    /operator/,
    async ({ companyID }) => {
      const token = await world.logIn(world.config.OPERATOR_EMAIL, world.config.OPERATOR_PASSWORD);
      return {
        by: [world.operator, world.client(token, second.url)],
        method: 'POST',
        path: `/companies/${companyID}/accounts`,
        body: (n) => ({ email: `q${n}@example.com`, name: 'Q', password: 'correct horse battery', role: 'member' }),
      };
    },
  ],
  [
    'environments',
    'QUOTA_ENVIRONMENTS',
    /delete one/,
    async () => ({ method: 'POST', path: '/environments', body: (n) => ({ name: `Robots ${n}` }) }),
  ],
  [
    'processes',
    'QUOTA_PROCESSES',
    /delete one/,
    async () => ({ method: 'POST', path: '/processes', body: (n) => ({ processName: `Orders ${n}` }) }),
  ],
  [
    'versions',
    'QUOTA_VERSIONS',
    /new process/,
    async (ana) => {
      const processID = await addProcess(ana);
      await ana.must('PUT', `/processes/${processID}/flow`, GREETING_FLOW);
      return { method: 'POST', path: `/processes/${processID}/publish`, body: () => undefined };
    },
  ],
  [
    'usable credentials',
    'QUOTA_CREDENTIALS',
    /revoke one/,
    async () => ({ method: 'POST', path: '/credentials', body: (n) => ({ label: `ERP ${n}` }) }),
  ],
  [
    'usable process keys',
    'QUOTA_PROCESS_KEYS',
    /revoke one/,
    async (ana) => ({
      method: 'POST',
      path: `/processes/${await addProcess(ana)}/keys`,
      body: (n) => ({ identifier: `erp ${n}` }),
    }),
  ],
];

test.each(QUOTA_CASES)(
  'two replicas together never create more %s than a company may have, and the refusal names %s and what to do',
  async (quota, setting, remedy, prepare) => {
    const ana = await world.addPerson({ role: 'administrator' });
    const replicas = [ana, world.client(ana.token, second.url)];
    const { by = replicas, method, path, body } = await prepare(ana, replicas);
    const limit = quota === 'accounts' ? ACCOUNT_QUOTA : SMALL_QUOTA;
    const answers = await Promise.all(
      Array.from(
        { length: 2 * SMALL_QUOTA },
        (_, n) => by[n % 2]?.call(method, path, body(n)) ?? Promise.reject(new Error()),
      ),
    );
    const refused = answers.filter(({ status }) => status === 409);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(SMALL_QUOTA);
    expect(refused).toHaveLength(SMALL_QUOTA);
    for (const { body: refusal } of refused) {
      const { code, message } = asRecord(refusal.error);
      expect(code).toBe('QUOTA_EXCEEDED');
      expect(requireText(message)).toContain(`at most ${limit} ${quota} (setting ${setting})`);
      expect(requireText(message)).toMatch(remedy);
    }
  },
);

test('a share beyond the quota of the company that owns the process is refused, and an existing one may still change', async () => {
  const [ana, ...others] = await Promise.all(Array.from({ length: SMALL_QUOTA + 2 }, () => world.addPerson()));
  if (!ana) throw new Error('There is nobody');
  const processID = await addProcess(ana);
  const share = (email: string, execute: boolean, client: ConsoleCaller = ana) =>
    client.call('PUT', `/processes/${processID}/shares/${email}`, { execute });
  const replica = world.client(ana.token, second.url);
  const answers = await Promise.all(others.map(({ email }, n) => share(email, true, n % 2 ? ana : replica)));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 409]);
  const kept = others.find((_, n) => answers[n]?.status === 200);
  expect((await share(kept?.email ?? '', false)).status).toBe(200);
});

test('the vaults of a company share its quota; an existing key may change at the limit, and a removed key makes room', async () => {
  const ana = await world.addPerson();
  const ben = await world.addPerson({ companyID: ana.companyID });
  const puts = await Promise.all(
    Array.from({ length: SMALL_QUOTA + 1 }, (_, n) => (n % 2 ? ana : ben).call('PUT', `/vault/k${n}`, { value: 'v' })),
  );
  expect(puts.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 409]);
  const stored = puts.findIndex(({ status }) => status === 200);
  const owner = stored % 2 ? ana : ben;
  await owner.must('PUT', `/vault/k${stored}`, { value: 'w' });
  await owner.must('DELETE', `/vault/k${stored}`);
  await owner.must('PUT', '/vault/other', { value: 'v' });
});

test('the processes of a company share its quota of versions', async () => {
  const ana = await world.addPerson();
  const publish = async (processID: string) => (await ana.call('POST', `/processes/${processID}/publish`)).body;
  const processIDs = await Promise.all([addProcess(ana), addProcess(ana)]);
  for (const processID of processIDs) await ana.must('PUT', `/processes/${processID}/flow`, GREETING_FLOW);
  const [first, other] = processIDs;
  for (const processID of [first, other, first, other]) await publish(processID);
  expect(asRecord((await publish(first)).error)).toEqual({
    code: 'QUOTA_EXCEEDED',
    message: `A company has at most ${COMPANY_VERSION_QUOTA} versions of its processes (setting QUOTA_COMPANY_VERSIONS); delete a process that is no longer needed.`,
  });
});

test('a revoked credential does not count against the quota of credentials', async () => {
  const ana = await world.addPerson();
  const ids = [];
  for (let n = 0; n < SMALL_QUOTA; n += 1)
    ids.push(requireText((await ana.must('POST', '/credentials', { label: 'x' })).id));
  expect((await ana.refusal('POST', '/credentials', { label: 'x' })).error).toBe('409 QUOTA_EXCEEDED');
  await ana.must('DELETE', `/credentials/${ids[0]}`);
  await ana.must('POST', '/credentials', { label: 'x' });
});

test('an invitation keeps its place in a full quota of shares when its address gets an account', async () => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana)}/shares`;
  const emails = Array.from({ length: SMALL_QUOTA }, (_, n) => `q${n}-${ana.id}@example.com`);
  for (const email of emails) await ana.must('PUT', `${path}/${email}`, { execute: true });
  const account = { email: emails[0], name: 'New', password: 'correct horse battery' };
  await world.operator.must('POST', `/companies/${await world.addCompany()}/accounts`, account);
  expect(await ana.must('PUT', `${path}/${emails[0]}`, {})).toMatchObject({ email: emails[0] });
});

test('the newest 10,000 of the revoked credentials and keys of a company are kept', async () => {
  const ana = await world.addPerson();
  const processID = await addProcess(ana);
  const kept = async (table: string, owner: string, id: string) =>
    (await world.store.row<{ kept: number }>(`SELECT COUNT(*) AS kept FROM ${table} WHERE ${owner} = ?`, [id]))?.kept;
  await world.store.write(
    `INSERT INTO credential (credential_id, account_id, label, secret_hash, created_at, revoked_at)
       SELECT UUID(), ?, 'old', RANDOM_BYTES(32), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM seq_1_to_10003`,
    [ana.id],
  );
  await world.store.write(
    `INSERT INTO process_key (key_id, process_id, identifier, secret_hash, created_at, expires_at)
       SELECT UUID(), ?, 'old', RANDOM_BYTES(32), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM seq_1_to_10003`,
    [processID],
  );
  await ana.must('POST', '/credentials', { label: 'new' });
  await ana.must('POST', `/processes/${processID}/keys`, { identifier: 'new' });
  expect(await kept('credential', 'account_id', ana.id)).toBe(10_001);
  expect(await kept('process_key', 'process_id', processID)).toBe(10_001);
});
