import { eventSubscription, type Caller } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { callDuringChange } from '../../../../test/support/call-during-change';
import { addLoginSession } from '../../../../test/support/login-session';
import { EVENT_SETTINGS, scopeOf, subscribe, writeDelivery, type SubscribedProcess } from '../../test/events';
import { startWorld, type WebhookWorld } from '../../test/world';

// Nobody listens there, and no test sends an event.
const URL = 'http://127.0.0.1:4999/';

let world: WebhookWorld;
beforeAll(async () => {
  world = await startWorld({ settings: { ...EVENT_SETTINGS, EVENT_TICK_MS: '60000' } });
});
afterAll(() => world?.close());

const CHANGES: [what: string, ask: (at: SubscribedProcess, by?: Caller) => Promise<unknown>][] = [
  [
    'creates',
    ({ companyID }, by) => {
      const draft = { url: URL, events: ['instance.success' as const], processID: null, enabled: true };
      return world.rpc.call(eventSubscription.create, { companyID, ...by, draft });
    },
  ],
  [
    'changes',
    (at, by) =>
      world.rpc.call(eventSubscription.change, { ...scopeOf(at), ...by, change: { processID: at.processID } }),
  ],
  ['removes', (at, by) => world.rpc.call(eventSubscription.remove, { ...scopeOf(at), ...by })],
  ['rotates the secret of', (at, by) => world.rpc.call(eventSubscription.rotateSecret, { ...scopeOf(at), ...by })],
  [
    'sends the dead deliveries again of',
    (at, by) => world.rpc.call(eventSubscription.redeliver, { ...scopeOf(at), ...by }),
  ],
];
const REVOCATIONS: [how: string, code: string, end: (tx: Store, at: SubscribedProcess) => Promise<unknown>][] = [
  [
    'that is blocked',
    'OWNER_INACTIVE',
    (tx, at) => tx.write('UPDATE account SET blocked = 1 WHERE account_id = ?', [at.ownerID]),
  ],
  [
    'of a company that is suspended',
    'OWNER_INACTIVE',
    (tx, at) => tx.write('UPDATE company SET suspended = 1 WHERE company_id = ?', [at.companyID]),
  ],
  [
    'whose session ends',
    'INVALID_CREDENTIAL',
    (tx, at) => tx.write('DELETE FROM login_session WHERE account_id = ?', [at.ownerID]),
  ],
];

/** Everything that a change of a subscription writes. */
const readStored = ({ companyID }: SubscribedProcess) =>
  Promise.all([
    world.store.rows('SELECT * FROM event_subscription WHERE company_id = ?', [companyID]),
    world.store.rows('SELECT * FROM event_delivery WHERE company_id = ?', [companyID]),
    world.store.rows('SELECT * FROM management_event WHERE company_id = ? ORDER BY event_id', [companyID]),
  ]);

test.each(
  REVOCATIONS.flatMap(([how, ...revocation]) => CHANGES.map(([what, ask]) => [how, what, ...revocation, ask] as const)),
)('an account %s after the check of the console %s no event subscription', async (_, __, code, end, ask) => {
  const at = await subscribeWithDeadDelivery();
  const by = await callerOf(at);
  const before = await readStored(at);
  const call = () =>
    ask(at, by).then(
      () => 'no refusal',
      (error: { code: string }) => error.code,
    );
  expect(await callDuringChange(world.store, (tx) => end(tx, at), call)).toBe(code);
  expect(await readStored(at)).toEqual(before);
});

test.each(
  CHANGES.flatMap(([what, ask]) => [
    ['with active access', what, async (at: SubscribedProcess) => ask(at, await callerOf(at))] as const,
    ['that a console of the previous release does not name', what, (at: SubscribedProcess) => ask(at)] as const,
  ]),
)('an account %s %s an event subscription', async (_, __, ask) => {
  const at = await subscribeWithDeadDelivery();
  await ask(at);
  const events = await world.store.rows('SELECT 1 FROM management_event WHERE company_id = ?', [at.companyID]);
  expect(events).toHaveLength(2);
});

test('a change that waits for the lock of a process has not locked the event subscription', async () => {
  const at = await subscribe(world, URL);
  const { id } = at.subscription;
  const change = { processID: at.processID };
  const lockSubscription = 'SELECT subscription_id AS id FROM event_subscription WHERE subscription_id = ? FOR UPDATE';
  let locked: unknown;
  await callDuringChange(
    world.store,
    (tx) => tx.row('SELECT 1 FROM process WHERE process_id = ? FOR UPDATE', [at.processID]),
    () => world.rpc.call(eventSubscription.change, { ...scopeOf(at), accountID: at.ownerID, change }),
    {
      meanwhile: async (tx) => {
        locked = await tx.rows(`${lockSubscription} SKIP LOCKED`, [id]);
      },
    },
  );
  expect(locked).toEqual([{ id }]);
});

async function subscribeWithDeadDelivery(): Promise<SubscribedProcess> {
  const at = await subscribe(world, URL);
  await writeDelivery(world, at);
  await world.store.write("UPDATE event_delivery SET status = 'dead' WHERE company_id = ?", [at.companyID]);
  return at;
}

/** The owner of the process, logged in. */
async function callerOf({ ownerID: accountID }: SubscribedProcess): Promise<Caller> {
  const { sessionHash } = await addLoginSession(world.store, accountID);
  return { accountID, sessionHash };
}
