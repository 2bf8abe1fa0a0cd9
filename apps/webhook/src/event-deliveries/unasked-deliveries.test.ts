import { eventSubscription, type EventSubscriptionDraft } from '@batuta/contracts';
import { EventReceiver } from '../../test/event-receiver';
import {
  deliveryOf,
  endPauses,
  EVENT_SETTINGS,
  readSubscription,
  scopeOf,
  subscribe,
  untilAttempts,
  untilStatus,
  writeDeliveries,
  writeDelivery,
} from '../../test/events';
import { registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';

let world: WebhookWorld;
let failing: EventReceiver;
let receiver: EventReceiver;
beforeAll(async () => {
  world = await startWorld({ settings: EVENT_SETTINGS });
  failing = await EventReceiver.start();
  failing.answer = (response) => void response.writeHead(500).end();
});
beforeEach(async () => {
  receiver = await EventReceiver.start();
});
afterEach(() => receiver.stop());
afterAll(async () => {
  await failing?.stop();
  await world?.close();
});

test.each<[string, (otherProcessID: string) => Partial<EventSubscriptionDraft>]>([
  ['process', (processID) => ({ processID, events: ['instance.success', 'instance.error'] })],
  ['events', () => ({ events: ['instance.error'] })],
])('a new address gets no delivery for which the subscription no longer asks by its %s', async (_, changeOf) => {
  const at = await subscribe(world, failing.url);
  const unasked = await writeDeliveries(world, at, 6);
  for (const instanceID of unasked) await untilAttempts(world, at, instanceID, 1);
  const other = await registerProcess(world.store);
  await world.store.write('UPDATE process SET company_id = ? WHERE process_id = ?', [at.companyID, other.processID]);
  const change = { ...changeOf(other.processID), url: receiver.url };
  await world.rpc.call(eventSubscription.change, { ...scopeOf(at), change });
  const asked = await world.store.transaction(async (tx) => {
    const instanceID = await writeDelivery({ ...world, store: tx }, { ...at, processID: other.processID });
    await tx.write("UPDATE event_delivery SET event = 'instance.error' WHERE instance_id = ?", [instanceID]);
    return instanceID;
  });
  await endPauses(world, at);
  await untilStatus(world, at, asked, 'delivered');
  for (const instanceID of unasked) await untilStatus(world, at, instanceID, 'dead');
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([`evt_${asked}`]);
  // Of a changed subscription the oldest delivery is due at once, and a round that read the old address may attempt it again.
  expect(await deliveryOf(world, at, unasked.at(-1) ?? '')).toMatchObject({
    attempts: 1,
    lastError: 'the subscription no longer asks for this event',
  });
  expect(await readSubscription(world, at)).toMatchObject({ enabled: true, waiting: 0, dead: 6 });
});
