import { eventSubscription, notifications, type EventSubscriptionDraft } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../test/support/wait-until';
import { EventReceiver } from '../../test/event-receiver';
import {
  readSubscription,
  EVENT_SETTINGS,
  scopeOf,
  subscribe,
  writeDeliveries,
  type SubscribedProcess,
} from '../../test/events';
import { registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';

let world: WebhookWorld;
let receiver: EventReceiver;
beforeAll(async () => {
  world = await startWorld({ settings: { ...EVENT_SETTINGS, QUOTA_EVENT_SUBSCRIPTIONS: '3' } });
  receiver = await EventReceiver.start();
});
afterAll(async () => {
  await receiver?.stop();
  await world?.close();
});

const draftOf = (over: Partial<EventSubscriptionDraft> = {}): EventSubscriptionDraft => ({
  url: receiver.url,
  events: ['instance.success'],
  processID: null,
  enabled: true,
  ...over,
});

test('a subscription is created with a secret of 32 bytes, which is stored sealed and never shown again', async () => {
  const at = await subscribe(world, receiver.url);
  const { secret } = at.subscription;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(await readSubscription(world, at)).toEqual({
    id: at.subscription.id,
    companyID: at.companyID,
    processID: null,
    url: receiver.url,
    events: ['instance.success', 'instance.error'],
    enabled: true,
    disabledReason: null,
    lastSuccessAt: null,
    waiting: 0,
    dead: 0,
    createdAt: expect.any(String),
  });
  const row = await world.store.row<{ sealed_secret: Buffer }>(
    'SELECT sealed_secret FROM event_subscription WHERE subscription_id = ?',
    [at.subscription.id],
  );
  expect(row?.sealed_secret.toString('latin1')).not.toContain(secret.slice(6, 20));
});

test('the fields of a subscription can be changed, and the audit trail names the host but not the path', async () => {
  const at = await subscribe(world, receiver.url);
  const url = `${receiver.url}/other?token=secret`;
  const change = { url, events: ['instance.stopped' as const], processID: at.processID, enabled: false };
  const changed = await world.rpc.call(eventSubscription.change, { ...scopeOf(at), change });
  expect(changed).toMatchObject({ ...change, id: at.subscription.id });
  const events = await world.store.rows<{ action: string; detail: string }>(
    'SELECT action, detail FROM management_event WHERE object_id = ? ORDER BY event_id',
    [at.subscription.id],
  );
  expect(events.map(({ action }) => action)).toEqual(['subscription.add', 'subscription.change']);
  expect(JSON.stringify(events)).toContain(`127.0.0.1:${receiver.port}`);
  expect(JSON.stringify(events)).not.toContain('token=');
});

test('a creation and a rotation whose answer cannot be read store no secret that nobody has seen', async () => {
  const at = await subscribe(world, receiver.url);
  const readStored = () =>
    world.store.rows('SELECT subscription_id, sealed_secret FROM event_subscription WHERE company_id = ?', [
      at.companyID,
    ]);
  const before = await readStored();
  await world.store.write('ALTER TABLE event_delivery RENAME TO event_delivery_away');
  const refusals = await Promise.allSettled([
    world.rpc.call(eventSubscription.create, { ...scopeOf(at), draft: draftOf() }),
    world.rpc.call(eventSubscription.rotateSecret, scopeOf(at)),
  ]);
  await world.store.write('ALTER TABLE event_delivery_away RENAME TO event_delivery');
  expect(refusals).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  expect(await readStored()).toEqual(before);
});

test.each<[string, Partial<EventSubscriptionDraft>, RegExp]>([
  ['a relative address', { url: '/events' }, /^url: must be an absolute URL/],
  ['another scheme', { url: 'ftp://example.com/' }, /^url: must begin with https/],
  ['a file', { url: 'file:///etc/passwd' }, /^url: must begin with https/],
  ['an address without TLS', { url: 'http://example.com/' }, /^url: must begin with https.*EVENT_ALLOW_HOSTS/],
  ['a user in the address', { url: 'https://user@example.com/' }, /^url: must have no user/],
  ['a password in the address', { url: 'https://:password@example.com/' }, /^url: must have no user/],
  ['a fragment', { url: 'https://example.com/#a' }, /^url: must have no fragment/],
  ['too long an address', { url: `https://example.com/${'x'.repeat(2_000)}` }, /^url: must have at most 2000/],
  ['a private address', { url: 'https://10.0.0.1/' }, /^url: .*no public address.*EVENT_ALLOW_HOSTS/],
  ['the loopback address of IPv6', { url: 'https://[::1]/' }, /^url: .*no public address/],
  ['the loopback address as a number', { url: 'https://2130706434/' }, /^url: .*no public address/],
  ['a metadata service', { url: 'https://169.254.169.254/' }, /^url: .*metadata/],
  ['the name of a metadata service', { url: 'https://metadata.google.internal/' }, /^url: /],
  [
    'a name without an address',
    { url: 'https://no-such-host.invalid/' },
    /^url: the host no-such-host\.invalid has no address/,
  ],
  ['no events', { events: [] }, /^events: must list at least one of instance\.success/],
  ['an unknown event', { events: [JSON.parse('"instance.queued"')] }, /^events: /],
  ['a process that the company does not have', { processID: uuid() }, /^processID: /],
])('a subscription with %s is refused, and the refusal names the field', async (_rule, over, message) => {
  const { companyID } = await registerProcess(world.store);
  const refused = { code: 'BAD_REQUEST', message: expect.stringMatching(message) };
  const creation = world.rpc.call(eventSubscription.create, { companyID, draft: draftOf(over) });
  await expect(creation).rejects.toMatchObject(refused);
  const { subscriptions } = await world.rpc.call(eventSubscription.list, { companyID });
  expect(subscriptions).toEqual([]);
  const at = await subscribe(world, receiver.url);
  const change = world.rpc.call(eventSubscription.change, { ...scopeOf(at), change: over });
  await expect(change).rejects.toMatchObject(refused);
});

test('a subscription of another company is not found by any request', async () => {
  const [at, other] = [await subscribe(world, receiver.url), await registerProcess(world.store)];
  const scope = { companyID: other.companyID, id: at.subscription.id };
  const requests: [string, Promise<unknown>][] = [
    ['change', world.rpc.call(eventSubscription.change, { ...scope, change: { enabled: false } })],
    ['remove', world.rpc.call(eventSubscription.remove, scope)],
    ['rotate', world.rpc.call(eventSubscription.rotateSecret, scope)],
    ['test', world.rpc.call(eventSubscription.test, scope)],
    ['deliveries', world.rpc.call(eventSubscription.deliveries, { ...scope, limit: 1 })],
    ['redeliver', world.rpc.call(eventSubscription.redeliver, scope)],
  ];
  const settled = await Promise.all(
    requests.map(([name, request]) =>
      request.then(
        () => `${name} was done`,
        (error) => Object(error).code,
      ),
    ),
  );
  expect(settled).toEqual(requests.map(() => 'NOT_FOUND'));
  expect(await readSubscription(world, at)).toMatchObject({ enabled: true });
  expect((await world.rpc.call(eventSubscription.list, { companyID: other.companyID })).subscriptions).toEqual([]);
});

test('a process of another company cannot be subscribed', async () => {
  const [at, other] = [await registerProcess(world.store), await registerProcess(world.store)];
  const draft = draftOf({ processID: other.processID });
  const creation = world.rpc.call(eventSubscription.create, { companyID: at.companyID, draft });
  await expect(creation).rejects.toMatchObject({ code: 'BAD_REQUEST', message: expect.stringMatching(/^processID:/) });
});

test('a company has at most the number of subscriptions that the operator allows, also when it creates them at once', async () => {
  const { companyID } = await registerProcess(world.store);
  const creations = Array.from({ length: 6 }, () =>
    world.rpc.call(eventSubscription.create, { companyID, draft: draftOf() }),
  );
  const results = await Promise.allSettled(creations);
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused).toMatchObject(
    Array.from({ length: 3 }, () => ({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringContaining('QUOTA_EVENT_SUBSCRIPTIONS'),
    })),
  );
});

const untilGone = (at: SubscribedProcess) =>
  waitUntil('the subscription and its deliveries are removed', async () => {
    const rows = await world.store.rows(
      `SELECT subscription_id FROM event_subscription WHERE subscription_id = ?
       UNION ALL SELECT subscription_id FROM event_delivery WHERE subscription_id = ?`,
      [at.subscription.id, at.subscription.id],
    );
    return rows.length === 0;
  });

test('the deliveries of a removed subscription are removed, and those of others stay', async () => {
  const kept = await subscribe(world, receiver.url);
  const at = await subscribe(world, receiver.url, { of: kept });
  await writeDeliveries(world, kept, 2);
  await world.rpc.call(eventSubscription.change, { ...scopeOf(at), change: { enabled: false } });
  await writeDeliveries(world, at, 3);
  await world.rpc.call(eventSubscription.remove, scopeOf(at));
  await untilGone(at);
  await waitUntil('the others are delivered', async () => (await readSubscription(world, kept))?.waiting === 0);
  const others = await world.rpc.call(eventSubscription.deliveries, { ...scopeOf(kept), limit: 10 });
  expect(others.deliveries).toHaveLength(2);
});

test.each([
  ['when its deletion is notified', true],
  ['when the notification was lost', false],
])('the subscription of a process ends with it %s, and one of all processes stays', async (_rule, isNotified) => {
  const registered = await registerProcess(world.store);
  const at = await subscribe(world, receiver.url, { of: registered, processID: registered.processID });
  const ofAll = await subscribe(world, receiver.url, { of: registered });
  await writeDeliveries(world, ofAll, 2);
  await world.store.write('DELETE FROM process WHERE process_id = ?', [registered.processID]);
  if (isNotified) world.rpc.notify(notifications.processDeleted, { processID: registered.processID });
  await untilGone(at);
  expect(await readSubscription(world, ofAll)).toMatchObject({ enabled: true });
  await waitUntil('the data of the process are removed', async () => {
    const { deliveries } = await world.rpc.call(eventSubscription.deliveries, { ...scopeOf(ofAll), limit: 10 });
    return deliveries.length === 0;
  });
});
