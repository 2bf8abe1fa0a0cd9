import { createTestDatabase } from '../../../test/support/servers';
import { openDataSource } from './data-source';
import { migrate, openStore, type Store } from '.';
import { MIGRATIONS } from './migrations';
import { Login0009 } from './migrations/0009-login';

let database: { url: string; drop(): Promise<void> };
let store: Store;

beforeAll(async () => {
  database = await createTestDatabase();
  await createPreviousSchema();
  store = await openStore({ url: database.url, pool: 2 });
});

afterAll(async () => {
  await store?.close();
  await database?.drop();
});

/** Creates the schema of the release before migration 0009, without a record of its migrations. */
async function createPreviousSchema(): Promise<void> {
  const { source } = await openDataSource({ url: database.url, pool: 1 });
  const runner = source.createQueryRunner();
  const before = MIGRATIONS.slice(0, MIGRATIONS.indexOf(Login0009));
  for (const Migration of before) await new Migration().up(runner);
  await runner.release();
  await source.destroy();
}

/** Runs the migration. `cutAfter` = number of statements after which the connection fails. */
async function migrateLogin(cutAfter = Infinity): Promise<void> {
  const { source } = await openDataSource({ url: database.url, pool: 1 });
  const runner = source.createQueryRunner();
  const query = runner.query.bind(runner);
  let left = cutAfter;
  jest.spyOn(runner, 'query').mockImplementation((...statement: Parameters<typeof query>) => {
    left -= 1;
    if (left < 0) throw new Error('cut off');
    return query(...statement);
  });
  try {
    await new Login0009().up(runner);
  } finally {
    await runner.release();
    await source.destroy();
  }
}

const uuidOf = (name: string) => `00000000-0000-7000-8000-${name.padStart(12, '0')}`;

async function addAccount(name: string, email: string): Promise<void> {
  await store.write(
    `INSERT INTO account (account_id, email, name, role, password_hash, created_at)
     VALUES (?, ?, 'Ana', 'member', 'none', UTC_TIMESTAMP(3))`,
    [uuidOf(name), email],
  );
}

const listEmails = async () =>
  Object.fromEntries(
    (await store.rows<{ account_id: string; email: string }>('SELECT account_id, email FROM account')).map((row) => [
      row.account_id,
      row.email,
    ]),
  );

test('the migration 0009 normalizes e-mail addresses, reports those it cannot, and runs again after a cut anywhere', async () => {
  const warned = jest.spyOn(console, 'warn').mockImplementation(() => {});
  await addAccount('1', 'ana@example.com');
  await addAccount('2', 'ｂｉａ@example.com');
  // Older servers have collations that do not treat this letter as a form of j.
  await addAccount('3', '\u2c7coe@example.com');
  await addAccount('4', 'joe@example.com');
  await addAccount('5', 'ca\u200drl@example.com');
  let cuts = 0;
  for (; ; cuts += 1) {
    const failure: unknown = await migrateLogin(cuts).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) break;
    expect(failure).toEqual(new Error('cut off'));
  }
  expect(cuts).toBeGreaterThan(8);
  expect(await listEmails()).toEqual({
    [uuidOf('1')]: 'ana@example.com',
    [uuidOf('2')]: 'bia@example.com',
    [uuidOf('3')]: '\u2c7coe@example.com',
    [uuidOf('4')]: 'joe@example.com',
    [uuidOf('5')]: 'ca\u200drl@example.com',
  });
  expect(await store.rows('SELECT account_id, problem FROM email_problem ORDER BY account_id')).toEqual([
    { account_id: uuidOf('3'), problem: 'taken' },
    { account_id: uuidOf('5'), problem: 'invalid' },
  ]);
  const warnings = warned.mock.calls.map(([line]) => String(line));
  warned.mockRestore();
  for (const name of ['3', '5'])
    expect(warnings.filter((line) => line.includes(uuidOf(name))).length).toBeGreaterThan(0);
  for (const line of warnings) expect(line).not.toContain('example.com');
});

test('after the migration the e-mail addresses of two accounts may differ by an accent alone, and must differ', async () => {
  await addAccount('6', 'conta1@example.com');
  await addAccount('7', 'cónta1@example.com');
  await expect(addAccount('8', 'conta1@example.com')).rejects.toMatchObject({ code: 'ER_DUP_ENTRY' });
  const found = await store.rows('SELECT account_id FROM account WHERE email = ?', ['cónta1@example.com']);
  expect(found).toEqual([{ account_id: uuidOf('7') }]);
});

test('the migrations of a new database include 0009', async () => {
  const fresh = await createTestDatabase();
  expect(await migrate(fresh.url)).toContain(new Login0009().name);
  await fresh.drop();
});
