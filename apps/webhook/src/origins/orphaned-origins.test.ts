import { notifications, webhook } from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import { createHookCall } from '../../test/calls';
import { addOrigin, registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';

let [withoutSweeps, withSweeps]: (WebhookWorld | undefined)[] = [];
beforeAll(async () => {
  [withoutSweeps, withSweeps] = await Promise.all([
    startWorld({ replicas: 2, settings: { SWEEP_MS: '3600000' } }),
    startWorld({ replicas: 2 }),
  ]);
});
afterAll(() => Promise.all([withoutSweeps?.close(), withSweeps?.close()]));

/** Deletes a process that has an origin with a capture. Returns the process's id. */
async function makeDeletedProcess({ store, rpc }: WebhookWorld): Promise<string> {
  const { processID } = await registerProcess(store);
  const originID = await addOrigin(store, processID);
  await rpc.call(webhook.capture, createHookCall({ processID, originID }, { a: 1 }));
  await store.write('DELETE FROM process WHERE process_id = ?', [processID]);
  return processID;
}

const waitUntilRemoved = ({ store }: WebhookWorld, processID: string) =>
  waitUntil('origins and captures are removed', async () => {
    const origins = await store.rows('SELECT 1 FROM origin WHERE process_id = ?', [processID]);
    const orphans = await store.rows(
      'SELECT 1 FROM capture c LEFT JOIN origin o ON o.origin_id = c.origin_id WHERE o.origin_id IS NULL',
    );
    return origins.length + orphans.length === 0;
  });

test('the notification of a deleted process removes its origins and no others', async () => {
  if (!withoutSweeps) throw new Error('No world');
  const [processID, kept] = [await makeDeletedProcess(withoutSweeps), await makeDeletedProcess(withoutSweeps)];
  withoutSweeps.rpc.notify(notifications.processDeleted, { processID });
  await waitUntilRemoved(withoutSweeps, processID);
  expect(await withoutSweeps.store.rows('SELECT 1 FROM origin WHERE process_id = ?', [kept])).toHaveLength(1);
});

test('a sweep removes the origins of deleted processes when the notification was lost, and no others', async () => {
  if (!withSweeps) throw new Error('No world');
  const { processID: existingID } = await registerProcess(withSweeps.store);
  await addOrigin(withSweeps.store, existingID);
  await waitUntilRemoved(withSweeps, await makeDeletedProcess(withSweeps));
  expect(await withSweeps.store.rows('SELECT 1 FROM origin WHERE process_id = ?', [existingID])).toHaveLength(1);
});
