import { eventSubscription } from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import { EventReceiver, isSigned } from '../../test/event-receiver';
import { readSubscription, deliveriesOf, EVENT_SETTINGS, scopeOf, subscribe, writeDeliveries } from '../../test/events';
import { startWorld, type WebhookWorld } from '../../test/world';

let world: WebhookWorld;
let receiver: EventReceiver;
beforeAll(async () => {
  world = await startWorld({ settings: EVENT_SETTINGS });
});
beforeEach(async () => {
  receiver = await EventReceiver.start();
});
afterEach(() => receiver.stop());
afterAll(() => world?.close());

test('a page has the newest deliveries first, and the cursor leads to the older ones', async () => {
  const at = await subscribe(world, receiver.url, { enabled: false });
  const ids = [await writeDeliveries(world, at, 3), await writeDeliveries(world, at, 4)].flat();
  await waitUntil('all are dead', async () => (await readSubscription(world, at))?.dead === ids.length);
  await world.store.write("UPDATE event_delivery SET status = 'delivered' WHERE instance_id IN (?)", [ids.slice(2, 4)]);
  const walk = async (status?: 'dead' | 'delivered') => {
    const seen: string[] = [];
    for (let before: string | undefined; ;) {
      const page = await world.rpc.call(eventSubscription.deliveries, { ...scopeOf(at), status, before, limit: 2 });
      seen.push(...page.deliveries.map(({ instanceID }) => instanceID));
      if (page.next === undefined) return seen;
      before = page.next;
    }
  };
  const all = await walk();
  expect(all.toSorted()).toEqual(ids.toSorted());
  const times = (await deliveriesOf(world, at)).map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted().toReversed());
  expect((await walk('delivered')).toSorted()).toEqual(ids.slice(2, 4).toSorted());
  const wrong = world.rpc.call(eventSubscription.deliveries, { ...scopeOf(at), before: "' OR 1=1", limit: 2 });
  await expect(wrong).rejects.toMatchObject({ code: 'BAD_REQUEST', message: expect.stringMatching(/^before:/) });
});

test('a test event is sent once and signed, and its result tells what the address answered', async () => {
  const at = await subscribe(world, receiver.url);
  expect(await world.rpc.call(eventSubscription.test, scopeOf(at))).toMatchObject({
    ok: true,
    status: 204,
    error: null,
  });
  const [event] = receiver.received;
  if (!event) throw new Error('Nothing arrived');
  expect(JSON.parse(event.body)).toMatchObject({ type: 'test', data: { subscriptionID: at.subscription.id } });
  expect(await isSigned(event, at.subscription.secret)).toBe(true);
  receiver.answer = (response) => void response.writeHead(401).end();
  expect(await world.rpc.call(eventSubscription.test, scopeOf(at))).toMatchObject({
    ok: false,
    status: 401,
    error: 'the address answered 401',
  });
  expect(await deliveriesOf(world, at)).toEqual([]);
});

test('a test event carries the signatures of both secrets during a rotation, as deliveries do', async () => {
  const at = await subscribe(world, receiver.url);
  const { secret } = await world.rpc.call(eventSubscription.rotateSecret, scopeOf(at));
  await world.rpc.call(eventSubscription.test, scopeOf(at));
  const [event] = receiver.received;
  if (!event) throw new Error('Nothing arrived');
  expect([await isSigned(event, secret), await isSigned(event, at.subscription.secret)]).toEqual([true, true]);
});

test('a subscription has one test in flight at a time', async () => {
  const answers: (() => void)[] = [];
  receiver.answer = (response) => void answers.push(() => response.writeHead(200).end());
  const at = await subscribe(world, receiver.url);
  const first = world.rpc.call(eventSubscription.test, scopeOf(at));
  await waitUntil('the receiver has the first', () => answers.length === 1);
  await expect(world.rpc.call(eventSubscription.test, scopeOf(at))).rejects.toMatchObject({ code: 'CONFLICT' });
  for (const answer of answers) answer();
  expect(await first).toMatchObject({ ok: true });
});
