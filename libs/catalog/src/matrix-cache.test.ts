import { openStore, type Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';
import { createMigratedDatabase } from '../../../test/support/migrated-database';
import type { TestDatabase } from '../../../test/support/servers';
import { waitUntil } from '../../../test/support/wait-until';
import { BatchTooLarge, processesWithEnvironments, MatrixCache } from '.';

let database: TestDatabase;
let store: Store;
let writer: Store;

beforeAll(async () => {
  database = await createMigratedDatabase();
  store = await openStore({ url: database.url, pool: 2, pipelined: true });
  writer = await openStore({ url: database.url, pool: 2 });
});

afterEach(() => jest.restoreAllMocks());

afterAll(async () => {
  await writer?.close();
  await store?.close();
  await database?.drop();
});

/** Inserts a process with company, owner and Texto variables with the given defaults. */
async function processWith(texts: Record<string, string>): Promise<string> {
  const [id, now] = [uuid(), new Date()];
  await writer.write('INSERT INTO plan VALUES (?, ?, 1, 1, 100, 30, 600, ?, NULL, NULL)', [id, id, now]);
  await writer.write('INSERT INTO company VALUES (?, ?, ?, 0, ?)', [id, 'c', id, now]);
  await writer.write(
    'INSERT INTO account (account_id, company_id, email, name, role, password_hash, blocked, created_at) VALUES (?)',
    [[id, id, `${id}@x`, 'o', 'member', 'h', 0, now]],
  );
  await writer.write(
    "INSERT INTO process (process_id, account_id, company_id, process_name, created_at) VALUES (?, ?, ?, 'P', ?)",
    [id, id, id, now],
  );
  await insertVariables(writer, id, texts);
  return id;
}

async function insertVariables(tx: Store, processID: string, texts: Record<string, string>): Promise<void> {
  for (const [position, [name, text]] of Object.entries(texts).entries()) {
    const row = [uuid(), processID, position, name, 'Texto', JSON.stringify(text)];
    await tx.write('INSERT INTO matrix_variable VALUES (?)', [row]);
  }
}

/** Replaces the Matrix of a process as the console does. */
async function replaceMatrix(processID: string, texts: Record<string, string>): Promise<void> {
  await writer.transaction(async (tx) => {
    await tx.row('SELECT 1 FROM process WHERE process_id = ? FOR UPDATE', [processID]);
    await tx.write('DELETE FROM matrix_variable WHERE process_id = ?', [processID]);
    await insertVariables(tx, processID, texts);
    await tx.write('UPDATE process SET matrix_revision = matrix_revision + 1 WHERE process_id = ?', [processID]);
  });
}

async function matrixOf(matrices: MatrixCache, processID: string): Promise<Record<string, unknown> | undefined> {
  const { processes } = await store.transaction((tx) => processesWithEnvironments(tx, [processID], matrices));
  return valuesByName(processes.get(processID)?.matrix);
}

function valuesByName(matrix: { name: string; default: unknown }[] | undefined): Record<string, unknown> | undefined {
  return matrix && Object.fromEntries(matrix.map((variable) => [variable.name, variable.default]));
}

/** The number of statements for loading these processes at revision 0. */
async function statementsFor(matrices: MatrixCache, ...processIDs: string[]): Promise<number> {
  const statementsSpy = jest.spyOn(store, 'rows');
  const found = await matrices.load(store, new Map(processIDs.map((processID) => [processID, 0])));
  expect([...found.keys()].toSorted()).toEqual(processIDs.toSorted());
  const statements = statementsSpy.mock.calls.length;
  statementsSpy.mockRestore();
  return statements;
}

test('the variables of a revision are read once, and those of several processes in one statement', async () => {
  const matrices = new MatrixCache();
  const [a, b, none] = await Promise.all([processWith({ a: '1' }), processWith({ b: '2' }), processWith({})]);
  expect(await statementsFor(matrices, a)).toBe(1);
  expect(await statementsFor(matrices, a)).toBe(0);
  expect(await statementsFor(matrices, a, b, none)).toBe(1);
  expect(await statementsFor(matrices, a, b, none)).toBe(0);
  expect(await Promise.all([a, b, none].map((id) => matrixOf(matrices, id)))).toEqual([{ a: '1' }, { b: '2' }, {}]);
});

const MATRIX_REPLACEMENTS: Record<string, string>[] = [{ b: 'new', a: '2' }, {}, { a: '3' }];

test('a Matrix that was replaced is found by the next load', async () => {
  const matrices = new MatrixCache();
  const id = await processWith({ a: '1', gone: '' });
  for (const texts of MATRIX_REPLACEMENTS) {
    await matrixOf(matrices, id);
    await replaceMatrix(id, texts);
    expect(await matrixOf(matrices, id)).toEqual(texts);
  }
});

test('a Matrix that is replaced between the two reads is loaded completely and cached with its own revision', async () => {
  const matrices = new MatrixCache();
  const id = await processWith({ a: 'old' });
  const seen = await store.transaction(async (tx) => {
    const load = jest.spyOn(matrices, 'load').mockImplementationOnce(async (...args) => {
      expect([...args[1]]).toEqual([[id, 0]]);
      await replaceMatrix(id, { b: 'new' });
      return matrices.load(...args);
    });
    const { processes } = await processesWithEnvironments(tx, [id], matrices);
    expect(load).toHaveBeenCalledTimes(2);
    return valuesByName(processes.get(id)?.matrix);
  });
  expect(seen).toEqual({ b: 'new' });
  const statementsSpy = jest.spyOn(store, 'rows');
  const found = await matrices.load(store, new Map([[id, 1]]));
  expect(found.get(id)).toMatchObject({ revision: 1, variables: [{ name: 'b' }] });
  expect(statementsSpy).not.toHaveBeenCalled();
});

test('the load of an earlier revision never hides a later one', async () => {
  const matrices = new MatrixCache();
  const id = await processWith({ a: 'old' });
  await matrixOf(matrices, id);
  await replaceMatrix(id, { a: 'new' });
  await matrixOf(matrices, id);
  // A load that began before the replacement and ends after it.
  await matrices.load(store, new Map([[id, 0]]));
  expect(await matrixOf(matrices, id)).toEqual({ a: 'new' });
});

test('a process that is deleted between the two reads is missing', async () => {
  const matrices = new MatrixCache();
  const id = await processWith({ a: '1' });
  const load = jest.spyOn(matrices, 'load').mockImplementationOnce(async (...args) => {
    await writer.write('DELETE FROM process WHERE process_id = ?', [id]);
    return matrices.load(...args);
  });
  expect(await matrixOf(matrices, id)).toBeUndefined();
  expect(load).toHaveBeenCalledTimes(2);
});

test('a change without a new revision is loaded after a minute', async () => {
  const matrices = new MatrixCache();
  const id = await processWith({ a: '1' });
  expect(await matrixOf(matrices, id)).toEqual({ a: '1' });
  await writer.write(`UPDATE matrix_variable SET default_value = '"2"' WHERE process_id = ?`, [id]);
  expect(await matrixOf(matrices, id)).toEqual({ a: '1' });
  const later = performance.now() + 60_001;
  jest.spyOn(performance, 'now').mockImplementation(() => later);
  await waitUntil('the Matrix is read again', async () => (await matrixOf(matrices, id))?.['a'] === '2');
});

test('the cache has a maximum size: the least recently used Matrix is evicted, and one that is too large is read each time', async () => {
  const matrices = new MatrixCache();
  const texts = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, 'x'.repeat(100_000)]));
  const [small, large, other, huge] = await Promise.all([1, 9, 9, 20].map((count) => processWith(texts(count))));
  if (!small || !large || !other || !huge) throw new Error('One of the processes is missing');
  expect(await statementsFor(matrices, large)).toBe(1);
  expect(await statementsFor(matrices, small)).toBe(1);
  expect(await statementsFor(matrices, other)).toBe(1);
  expect(await statementsFor(matrices, small, other)).toBe(0);
  expect(await statementsFor(matrices, large)).toBe(1);
  expect(await statementsFor(matrices, huge)).toBe(1);
  expect(await statementsFor(matrices, huge)).toBe(1);
  expect(await statementsFor(matrices, large)).toBe(0);
});

test('the Matrices of several processes that are too large together are refused, and each alone is read', async () => {
  const matrices = new MatrixCache();
  const texts = Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`t${n}`, 'x'.repeat(99_000)]));
  const ids = [await processWith(texts), await processWith(texts)];
  const together = store.transaction((tx) => processesWithEnvironments(tx, ids, matrices));
  await expect(together).rejects.toThrow(BatchTooLarge);
  for (const id of ids) {
    expect(await matrixOf(matrices, id)).toEqual(texts);
  }
});

test('the size of the defaults of a process is the bytes of their JSON with their names, and 0 before they are read', async () => {
  const matrices = new MatrixCache();
  const id = await processWith({ city: 'São Paulo' });
  expect(matrices.defaultBytesOf(id)).toBe(0);
  await matrixOf(matrices, id);
  expect(matrices.defaultBytesOf(id)).toBe(Buffer.byteLength('city"São Paulo"'));
});
