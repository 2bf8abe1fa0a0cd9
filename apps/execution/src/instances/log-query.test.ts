import { execution, type LogPage, type LogRequest } from '@batuta/contracts';
import { openStore, PAGE_BYTES, type Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../test/support/wait-until';
import { createQueuedInstance, viewerOf, type QueuedInstance } from '../../test/instances';
import { startWorld, type ExecutionWorld } from '../../test/world';
import type { InstanceRow } from './instance-row';
import { findVisibleInstance } from './instance.repository';
import { LogQueryService } from './log-query.service';

let world: ExecutionWorld;
/** A store with one connection, because the counter of bytes is per connection. */
let counted: Store;
beforeAll(async () => {
  world = await startWorld();
  counted = await openStore({ url: String(world.env.DATABASE_URL), pool: 1 });
});
afterAll(async () => {
  await counted?.close();
  await world?.close();
});

/** Adds an instance; each of its lines has `characters` times the character `of`, and `evidence` bytes of evidence. */
async function addInstanceWithLines(lines: number, text: { characters: number; of?: string; evidence?: number }) {
  const at = await createQueuedInstance(world);
  const { characters, of = 'x', evidence = 0 } = text;
  await world.store.write(
    `INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence)
       SELECT ?, seq, UTC_TIMESTAMP(3), 'INFO', CONCAT(seq, ' ', REPEAT(?, ?)), 's', IF(? = 0, NULL, REPEAT('e', ?))
         FROM seq_1_to_${lines}`,
    [at.instanceID, of, characters, evidence, evidence],
  );
  return at;
}

const readLogPage = (at: QueuedInstance, more: Partial<LogRequest> = {}): Promise<LogPage> =>
  world.rpc.call(execution.logs, { instanceID: at.instanceID, viewer: viewerOf(at), limit: 1_000, ...more });

const numbersOf = ({ logs }: Pick<LogPage, 'logs'>) => logs.map(({ message }) => Number.parseInt(message, 10));
const numbersUpTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** The bytes that the database sends while `work` runs. */
async function bytesSentBy(work: () => Promise<unknown>): Promise<number> {
  const sent = async () =>
    Number((await counted.row<{ Value: string }>("SHOW SESSION STATUS LIKE 'Bytes_sent'"))?.Value);
  const before = await sent();
  await work();
  return (await sent()) - before;
}

async function readInstanceRow(at: QueuedInstance): Promise<InstanceRow> {
  const row = await findVisibleInstance(world.store, at.instanceID, at.ownerID);
  if (!row) throw new Error('no such instance');
  return row;
}

test('a log that is larger than a message is read completely, the newest page first', async () => {
  const at = await addInstanceWithLines(1_000, { characters: 16_370 });
  const pages: LogPage[] = [];
  for (let before: number | undefined; ;) {
    const page = await readLogPage(at, { before });
    pages.unshift(page);
    before = page.older?.before;
    if (before === undefined) break;
  }
  expect(pages.flatMap(numbersOf)).toEqual(numbersUpTo(1_000));
  expect(pages.length).toBeGreaterThan(15);
  for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(PAGE_BYTES * 1.1);
});

test('a log is read forward with `after`, and `newer` says where to read on', async () => {
  const at = await addInstanceWithLines(300, { characters: 8_400 });
  const pages: LogPage[] = [];
  for (let after: number | undefined = 0; after !== undefined; after = pages.at(-1)?.newer?.after) {
    pages.push(await readLogPage(at, { after }));
  }
  expect(pages.flatMap(numbersOf)).toEqual(numbersUpTo(300));
  expect(pages.length).toBeGreaterThan(2);
});

test('a log that has more than 1000 lines is read forward with `after` without a gap', async () => {
  const at = await addInstanceWithLines(2_100, { characters: 10 });
  const pages: LogPage[] = [];
  for (let after: number | undefined = 0; after !== undefined; after = pages.at(-1)?.newer?.after) {
    pages.push(await readLogPage(at, { after }));
  }
  expect(pages.map(({ logs }) => logs.length)).toEqual([1_000, 1_000, 100]);
  expect(pages.flatMap(numbersOf)).toEqual(numbersUpTo(2_100));
});

test('a page with `after` has a cursor for the newer lines that did not fit, any other page for the older ones, and a page in which all fit has none', async () => {
  const at = await addInstanceWithLines(10, { characters: 10 });
  expect(Object.keys(await readLogPage(at))).toEqual(['logs']);
  const { older, ...newest } = await readLogPage(at, { limit: 4 });
  expect([numbersOf(newest), older]).toEqual([[7, 8, 9, 10], { before: 7 }]);
  const { newer, ...next } = await readLogPage(at, { after: 2, limit: 4 });
  expect([numbersOf(next), newer, Object.keys(next)]).toEqual([[3, 4, 5, 6], { after: 6 }, ['logs']]);
  expect(numbersOf(await readLogPage(at, { after: 2, before: 9, limit: 4 }))).toEqual([3, 4, 5, 6]);
  expect(await readLogPage(at, { before: 3 })).toMatchObject({ logs: [{}, {}] });
  expect(Object.keys(await readLogPage(at, { after: 6, limit: 4 }))).toEqual(['logs']);
  expect(await readLogPage(at, { after: 10 })).toEqual({ logs: [] });
});

test('a page of characters that take six bytes each in JSON fits into one message', async () => {
  const at = await addInstanceWithLines(1_000, { characters: 8_000, of: '\u0001' });
  const page = await readLogPage(at);
  expect(page.logs.length).toBeGreaterThan(100);
  expect(numbersOf(page).at(-1)).toBe(1_000);
  expect(page.older).toEqual({ before: numbersOf(page)[0] });
});

test('a page reads no evidence of lines outside of the page', async () => {
  const at = await addInstanceWithLines(40, { characters: 10, evidence: 1_000_000 });
  const instance = await readInstanceRow(at);
  const logs = new LogQueryService(counted);
  const request = { instanceID: at.instanceID, viewer: viewerOf(at), limit: 1_000 };
  const sent = await bytesSentBy(async () => {
    const page = await logs.page(instance, request);
    expect([numbersOf(page), page.older]).toEqual([[40], { before: 40 }]);
  });
  expect(sent).toBeLessThan(1_100_000);
  expect(await bytesSentBy(() => logs.next(instance, at.ownerID, { after: 0, limit: 200 }))).toBeLessThan(1_100_000);
});

test('the news of an instance contain at most a page of lines, or as many bytes as the follower asks for', async () => {
  const at = await addInstanceWithLines(200, { characters: 10_000 });
  const news = (bytes?: number) =>
    world.rpc.call(execution.news, { instanceID: at.instanceID, viewer: viewerOf(at), after: 0, limit: 200, bytes });
  expect((await news()).lines.map(({ line }) => line)).toEqual(numbersUpTo(99));
  expect((await news(50_000)).lines.map(({ line }) => line)).toEqual(numbersUpTo(4));
  expect((await news(1)).lines.map(({ line }) => line)).toEqual([1]);
});

test('pages of one account wait for each other, and those of another account do not wait for them', async () => {
  const at = await addInstanceWithLines(1, { characters: 10, evidence: 1_000_000 });
  const instance = await readInstanceRow(at);
  const reads: string[] = [];
  let finish = () => {};
  const blocked = new Promise<void>((resolve) => (finish = resolve));
  const held: Pick<Store, 'rows' | 'row'> = {
    row: (sql, parameters) => world.store.row(sql, parameters),
    async rows<Row>(sql: string, parameters?: unknown[]) {
      const isLines = sql.includes('evidence FROM');
      if (isLines) reads.push('begun');
      if (isLines) await blocked;
      return world.store.rows<Row>(sql, parameters);
    },
  };
  const logs = new LogQueryService(Object.assign(Object.create(world.store), held));
  const next = (accountID: string) => logs.next(instance, accountID, { after: 0, limit: 1 });
  const all = Promise.all([...Array.from({ length: 10 }, () => next(at.ownerID)), next(uuid())]);
  await waitUntil('four pages of the account and one of the other are read', () => reads.length === 5);
  finish();
  expect((await all).map(({ length }) => length)).toEqual(Array.from({ length: 11 }, () => 1));
  expect(reads).toHaveLength(11);
});
