import { callDuringChange } from '../../../../test/support/call-during-change';
import { EVENT_SETTINGS, readSubscription, scopeOf, subscribe } from '../../test/events';
import { registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';
import { removeOrphanedSubscriptions } from './orphaned-subscriptions';

let world: WebhookWorld;
beforeAll(async () => {
  world = await startWorld({ settings: { ...EVENT_SETTINGS, SWEEP_MS: '3600000' } });
});
afterAll(() => world?.close());

test('a subscription that is bound to another process while that of a deleted one is removed stays', async () => {
  const deleted = await registerProcess(world.store);
  const other = await registerProcess(world.store);
  const at = await subscribe(world, 'http://127.0.0.1:8080/events', { of: deleted, processID: deleted.processID });
  await world.store.write('DELETE FROM process WHERE process_id = ?', [deleted.processID]);
  const bind = 'UPDATE event_subscription SET process_id = ? WHERE subscription_id = ?';
  await callDuringChange(
    world.store,
    (tx) => tx.write(bind, [other.processID, scopeOf(at).id]),
    () => removeOrphanedSubscriptions(world.store, deleted.processID),
    { blocked: 'write' },
  );
  expect(await readSubscription(world, at)).toMatchObject({ processID: other.processID });
});
