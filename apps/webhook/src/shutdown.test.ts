import { openEndlessRequest, untilClosed } from '../../../test/support/endless-request';
import { startWorld } from '../test/world';

test('a service stops although a request to its health port never ends', async () => {
  const world = await startWorld();
  const client = await openEndlessRequest(world.metricsURL);
  await world.close();
  await untilClosed(client);
  expect(client.destroyed).toBe(true);
});
