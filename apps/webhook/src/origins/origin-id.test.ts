import { lockCompany } from '@batuta/catalog';
import { webhook, type OriginDraft } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { callDuringChange } from '../../../../test/support/call-during-change';
import { addOrigin, registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';

let world: WebhookWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const draft: OriginDraft = { name: 'Store', responseMode: 'Imediata', waitSeconds: 30, enabled: true, signature: null };

test.each([
  ['also when it waits for the other one', 0],
  ['also when the clock that gave the other one its id is an hour ahead', 3_600_000],
])('an origin has a greater id than each one that was there before it, %s', async (_, ahead) => {
  const { companyID, processID } = await registerProcess(world.store);
  let earlier = '';
  const { id } = await callDuringChange(
    world.store,
    (tx) => lockCompany(tx, companyID),
    () => world.rpc.call(webhook.createOrigin, { processID, draft }),
    {
      meanwhile: async (tx) => {
        earlier = await addOrigin(tx, processID, { originID: uuid({ msecs: Date.now() + ahead }) });
      },
    },
  );
  expect([earlier, id].toSorted()).toEqual([earlier, id]);
  expect(id).not.toBe(earlier);
});
