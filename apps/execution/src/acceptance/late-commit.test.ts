import { execution, type StartReply, type StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import type { ApiError } from '@batuta/errors';
import { waitUntil } from '../../../../test/support/wait-until';
import { isInProgress } from '../../test/statements';
import {
  countOf,
  creditsOf,
  registerProcess,
  startRequest,
  startWorld,
  type ExecutionWorld,
  type TestProcess,
} from '../../test/world';

// A COMMIT may hang longer than its caller waits. A caller that then gets ROUTER_ERROR is promised that the start is not stored and never will
// be.

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const start = (request: StartRequest) => world.rpc.call(execution.start, request, { timeout: 30_000 });
const countInstances = ({ processID }: TestProcess) => countOf(world.store, 'instance', 'process_id = ?', [processID]);

/** Whether the deadline has passed by the database's clock. */
const isPast = async (deadline: number) =>
  Number((await world.store.row<{ n: number }>('SELECT UTC_TIMESTAMP(3) > ? AS n', [new Date(deadline)]))?.n) === 1;

test('a start that waits for the credits of its company beyond its deadline is refused with ROUTER_ERROR, and the others of its batch are accepted', async () => {
  const at = await registerProcess(world.store);
  // From this start the replica knows the company of the process. The next starts wait for its credit account before they are decided.
  await start(startRequest(at));
  const late = startRequest(at, { deadline: Date.now() + 500 });
  const others = Array.from({ length: 3 }, () => startRequest(at));
  const replies = await world.store.transaction(async (tx) => {
    await tx.rows('SELECT balance FROM credit_account WHERE company_id = ? FOR UPDATE', [at.companyID]);
    const sent = Promise.allSettled([late, ...others].map(start));
    await waitUntil('the starts wait for the account', isInProgress(tx, 'credit_account%FOR UPDATE'));
    await waitUntil('the deadline is over', () => isPast(late.deadline));
    return { sent };
  });
  const [refused, ...accepted] = await replies.sent;
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'ROUTER_ERROR' } });
  expect(accepted.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  expect(await countInstances(at)).toBe(4);
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 96, ledger: 96 });
});

test('a start that was decided before its deadline and would be written after it is not stored', async () => {
  const at = await registerProcess(world.store);
  await start(startRequest(at));
  await world.store.write('CREATE TRIGGER slow BEFORE INSERT ON credit_account FOR EACH ROW DO SLEEP(2)');
  try {
    const refusal = start(startRequest(at, { deadline: Date.now() + 1_000 })).catch(({ code }: ApiError) => code);
    expect(['ROUTER_ERROR', 'UNAVAILABLE']).toContain(await refusal);
  } finally {
    // The statement waits for the end of the transaction that writes the start.
    await world.store.write('DROP TRIGGER slow');
  }
  expect(await countInstances(at)).toBe(1);
});

test('a start with time left is accepted although, at a slow database, the starts of its batch meet their deadlines one after another', async () => {
  const at = await registerProcess(world.store);
  await start(startRequest(at));
  // Each transaction of starts takes longer than the time from one deadline to the next.
  await world.store.write('CREATE TRIGGER slow BEFORE INSERT ON credit_account FOR EACH ROW DO SLEEP(0.5)');
  try {
    const first = start(startRequest(at));
    const now = Date.now();
    const shortDeadlines = Array.from({ length: 20 }, (_, index) =>
      startRequest(at, { deadline: now + 700 + 250 * index }),
    );
    const longDeadline = start(startRequest(at, { deadline: now + 60_000 }));
    const ends = await Promise.allSettled(shortDeadlines.map(start));
    const codes = ends.flatMap((end) => (end.status === 'rejected' ? [Object(end.reason).code] : []));
    expect(codes.filter((code) => code !== 'ROUTER_ERROR' && code !== 'UNAVAILABLE')).toEqual([]);
    expect((await Promise.allSettled([first, longDeadline])).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
    ]);
  } finally {
    await world.store.write('DROP TRIGGER slow');
  }
});

/** Writes the rows of the start that an attempt writes before its COMMIT. */
async function writeAttempt(
  tx: Store,
  { instanceID }: StartRequest,
  { instanceID: pattern }: StartReply,
): Promise<void> {
  const written = await tx.rows<{ name: string }>(
    `SELECT COLUMN_NAME AS name FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'instance'
        AND COLUMN_NAME <> 'instance_id' AND EXTRA NOT LIKE '%GENERATED%'`,
  );
  const columns = written.map(({ name }) => name).join();
  await tx.write(
    `INSERT INTO instance (instance_id, ${columns}) SELECT ?, ${columns} FROM instance WHERE instance_id = ?`,
    [instanceID, pattern],
  );
  await tx.write("INSERT INTO instance_input (instance_id, sealed) VALUES (?, 'sealed')", [instanceID]);
}

test.each([
  ['is completed answers with its instance', true],
  ['is rolled back is refused with ROUTER_ERROR', false],
])(
  'a repeated start whose earlier attempt hangs in its COMMIT waits for it, and once that %s',
  async (_, completed) => {
    const at = await registerProcess(world.store);
    const pattern = await start(startRequest(at));
    const request = startRequest(at, { deadline: Date.now() - 1, resent: true });
    let repeated: Promise<unknown> = Promise.resolve();
    let settled = false;
    const attempt = world.store.transaction(async (tx) => {
      await writeAttempt(tx, request, pattern);
      repeated = start(request)
        .catch((error: unknown) => error)
        .finally(() => (settled = true));
      await waitUntil('the repeated start waits for the attempt', isInProgress(tx, 'INSERT INTO instance_input'));
      expect(settled).toBe(false);
      if (!completed) throw new Error('rolled back');
    });
    const [end] = await Promise.allSettled([attempt]);
    expect(end).toMatchObject(
      completed ? { status: 'fulfilled' } : { status: 'rejected', reason: { message: 'rolled back' } },
    );
    expect(await repeated).toMatchObject(
      completed ? { instanceID: request.instanceID, status: pattern.status } : { code: 'ROUTER_ERROR' },
    );
    expect(await countInstances(at)).toBe(completed ? 2 : 1);
  },
);

test('a repeated start that nobody has stored is refused with ROUTER_ERROR, leaves no row behind, and can no longer be stored', async () => {
  const at = await registerProcess(world.store);
  const request = startRequest(at, { deadline: Date.now() - 1 });
  await expect(start({ ...request, resent: true })).rejects.toMatchObject({ code: 'ROUTER_ERROR' });
  await expect(start(request)).rejects.toMatchObject({ code: 'ROUTER_ERROR' });
  expect(await countInstances(at)).toBe(0);
  expect(await countOf(world.store, 'instance_input', 'instance_id = ?', [request.instanceID])).toBe(0);
});
