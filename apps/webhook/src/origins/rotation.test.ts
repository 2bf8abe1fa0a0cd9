import { webhook, type Origin } from '@batuta/contracts';
import { registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';

let world: WebhookWorld;
beforeAll(async () => {
  world = await startWorld({ replicas: 2 });
});
afterAll(() => world?.close());

async function createOwnedOrigin(): Promise<Origin> {
  const { processID } = await registerProcess(world.store);
  const draft = { name: 'Store', responseMode: 'Imediata', waitSeconds: 30, enabled: true, signature: null } as const;
  return world.rpc.call(webhook.createOrigin, { processID, draft });
}

test('each of several rotations at once answers the URL that it made', async () => {
  const { id } = await createOwnedOrigin();
  const rotate = () => world.rpc.call(webhook.rotate, { id, url: 'prod' });
  const rotations = await Promise.all(Array.from({ length: 8 }, rotate));
  expect(new Set(rotations.map(({ prodToken }) => prodToken)).size).toBe(8);
});
