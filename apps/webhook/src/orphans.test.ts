import { notifications, webhook } from '@batuta/contracts';
import { waitUntil } from '../../../test/support/wait-until';
import { hookCall } from '../test/calls';
import { addOrigin, register } from '../test/registry';
import { startWorld, type World } from '../test/world';

let [patient, sweeping]: (World | undefined)[] = [];
beforeAll(async () => {
  [patient, sweeping] = await Promise.all([
    startWorld({ replicas: 2, settings: { SWEEP_MS: '3600000' } }),
    startWorld({ replicas: 2 }),
  ]);
});
afterAll(() => Promise.all([patient?.close(), sweeping?.close()]));

/** A process with an origin that has a capture, and that is then deleted. Returns its id. */
async function deleted({ store, rpc }: World): Promise<string> {
  const { processID } = await register(store);
  const originID = await addOrigin(store, processID);
  await rpc.call(webhook.capture, hookCall({ processID, originID }, { a: 1 }));
  await store.write('DELETE FROM process WHERE process_id = ?', [processID]);
  return processID;
}

const untilNothingIsLeft = ({ store }: World, processID: string) =>
  waitUntil('nothing is left', async () => {
    const origins = await store.rows('SELECT 1 FROM origin WHERE process_id = ?', [processID]);
    const orphans = await store.rows(
      'SELECT 1 FROM capture c LEFT JOIN origin o ON o.origin_id = c.origin_id WHERE o.origin_id IS NULL',
    );
    return origins.length + orphans.length === 0;
  });

test('the origins of a deleted process go when its deletion is heard', async () => {
  if (!patient) throw new Error('No world');
  const [processID, kept] = [await deleted(patient), await deleted(patient)];
  patient.rpc.notify(notifications.processDeleted, { processID });
  await untilNothingIsLeft(patient, processID);
  expect(await patient.store.rows('SELECT 1 FROM origin WHERE process_id = ?', [kept])).toHaveLength(1);
});

test('they go by a sweep when it was not heard, and those of other processes stay', async () => {
  if (!sweeping) throw new Error('No world');
  const { processID: living } = await register(sweeping.store);
  await addOrigin(sweeping.store, living);
  await untilNothingIsLeft(sweeping, await deleted(sweeping));
  expect(await sweeping.store.rows('SELECT 1 FROM origin WHERE process_id = ?', [living])).toHaveLength(1);
});
