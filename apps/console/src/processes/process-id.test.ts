import { lockCompany } from '@batuta/catalog';
import { v7 as uuid } from 'uuid';
import { callDuringChange } from '../../../../test/support/call-during-change';
import { createWorld, requireText, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.close());

test.each([
  ['also when it waits for the other one', 0],
  ['also when the clock that gave the other one its id is an hour ahead', 3_600_000],
])('a process has a greater id than each one of its company that was there before it, %s', async (_, ahead) => {
  const ana = await world.addPerson();
  let earlier = '';
  const { body } = await callDuringChange(
    world.store,
    (tx) => lockCompany(tx, ana.companyID),
    () => ana.call('POST', '/processes', { processName: 'Orders' }),
    {
      meanwhile: async (tx) => {
        earlier = uuid({ msecs: Date.now() + ahead });
        await tx.write(
          `INSERT INTO process (process_id, account_id, company_id, process_name, created_at)
             VALUES (?, ?, ?, 'Invoices', UTC_TIMESTAMP(3))`,
          [earlier, ana.id, ana.companyID],
        );
      },
    },
  );
  const later = requireText(body.processID);
  expect([earlier, later].toSorted()).toEqual([earlier, later]);
  expect(later).not.toBe(earlier);
});
