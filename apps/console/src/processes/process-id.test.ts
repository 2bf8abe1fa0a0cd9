import { lockCompany } from '@batuta/catalog';
import { v7 as uuid } from 'uuid';
import { callDuringChange } from '../../../../test/support/call-during-change';
import { createWorld, requireText, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.close());

test('a process has a greater id than those for whose creation it waited, so that the younger of two simultaneous imports sees both', async () => {
  const ana = await world.addPerson();
  let earlier = '';
  const { body } = await callDuringChange(
    world.store,
    (tx) => lockCompany(tx, ana.companyID),
    () => ana.call('POST', '/processes', { processName: 'Orders' }),
    {
      meanwhile: async () => {
        earlier = uuid();
      },
    },
  );
  const later = requireText(body.processID);
  expect([earlier, later].toSorted()).toEqual([earlier, later]);
});
