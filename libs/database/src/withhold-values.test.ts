import { createLogger } from '@batuta/logging';
import { AccountEntity, INSERT_ACCOUNT_SQL, openTestStores, STORE_KINDS, type TestStores } from '../test/stores';
import type { Store } from '.';

const VALUE = 'maria@example.com';
const PARTS_OF_VALUE = /maria|example/;

let stores: TestStores;
beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores?.close());

/** The lines that a service logs for the error. */
function logged(error: unknown): string {
  let lines = '';
  const logger = createLogger('test', 'info', { write: (line: string) => void (lines += line) });
  logger.error({ err: error }, 'it failed');
  return lines;
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const inTransaction = (statement: (tx: Store) => Promise<unknown>) => (store: Store) => store.transaction(statement);
const twice = async (tx: Store) => {
  const parameters = [VALUE, 1, '2026-01'];
  return Promise.all([tx.write(INSERT_ACCOUNT_SQL, parameters), tx.write(INSERT_ACCOUNT_SQL, parameters)]);
};
const atCommit = async (tx: Store) => tx.atCommit(INSERT_ACCOUNT_SQL, ['1', VALUE, '2026-01']);
const unknownColumn = (store: Store) => store.rows('SELECT name FROM credit_account WHERE company_id = ?', [VALUE]);
const wrongSyntax = (store: Store) => store.rows('SELECT * FORM credit_account WHERE company_id = ?', [VALUE]);
const tooLong = (store: Store) => store.write(INSERT_ACCOUNT_SQL, [VALUE.repeat(9), 1, '2026-01']);

const FAILURES: [name: string, code: string, shown: string, work: (store: Store) => Promise<unknown>][] = [
  ['a duplicate', 'ER_DUP_ENTRY', "Duplicate entry '…' for key 'PRIMARY'", inTransaction(twice)],
  [
    'a wrong number at the commit',
    'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD',
    "Incorrect integer value: '…'",
    inTransaction(atCommit),
  ],
  ['an unknown column', 'ER_BAD_FIELD_ERROR', "Unknown column 'name'", unknownColumn],
  ['an unknown column in a transaction', 'ER_BAD_FIELD_ERROR', "Unknown column 'name'", inTransaction(unknownColumn)],
  ['wrong syntax', 'ER_PARSE_ERROR', "near '…'", wrongSyntax],
  ['a text that is too long', 'ER_DATA_TOO_LONG', "Data too long for column 'company_id'", tooLong],
];

describe.each(STORE_KINDS)('with %s', (_, kind) => {
  test.each(FAILURES)('the error of %s has its code and statement, and no value', async (_name, code, shown, work) => {
    const error = await failureOf(work(stores[kind]));
    expect(error).toMatchObject({ code });
    const line = logged(error);
    expect(line).toContain(shown);
    expect(line).toMatch(/SELECT|INSERT|UPDATE/);
    expect(line).not.toMatch(PARTS_OF_VALUE);
  });
});

test('the error of a repository has no value in the log', async () => {
  const repository = stores.withEntities.repository(AccountEntity);
  const line = logged(await failureOf(repository.insert({ id: VALUE.repeat(9), balance: 1, period: '2026-01' })));
  expect(line).toContain('ER_DATA_TOO_LONG');
  expect(line).not.toMatch(PARTS_OF_VALUE);
});

test('a value with quotes of its own leaves nothing in the message of a duplicate', async () => {
  const parameters = ["maria' for key 'PRIMARY", 1, '2026-01'];
  await stores.plain.write(INSERT_ACCOUNT_SQL, parameters);
  const error = await failureOf(stores.plain.write(INSERT_ACCOUNT_SQL, parameters));
  expect(error).toMatchObject({ message: "Duplicate entry '…' for key 'PRIMARY'" });
});
