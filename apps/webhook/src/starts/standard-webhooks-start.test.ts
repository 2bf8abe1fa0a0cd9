import { webhook, type HookStart } from '@batuta/contracts';
import { createHmac, randomBytes } from 'node:crypto';
import { createHookStart } from '../../test/calls';
import { addOrigin, publishVersion, registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';
import { sealSignature } from '../origins/sealed-columns';

let world: WebhookWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** The idempotency key of the start that a call with a valid signature of Standard Webhooks makes. */
async function keyOfStart(given: Partial<HookStart>): Promise<string | undefined> {
  const key = randomBytes(24);
  const rule = {
    header: 'webhook-signature',
    secret: `whsec_${key.toString('base64')}`,
    toleranceSeconds: null,
  };
  const { processID } = await registerProcess(world.store);
  const originID = await addOrigin(world.store, processID, {
    signature: (id) => sealSignature(world.keys, id, rule),
  });
  const versionID = await publishVersion(world.store, processID, [{ originID, entries: [] }]);
  const seconds = Math.floor(Date.now() / 1_000);
  const digest = createHmac('sha256', key).update(`msg_1.${seconds}.{}`).digest('base64');
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${digest}`,
  };
  const call = createHookStart({ originID, processID }, '{}', { versionID, signed: true, headers, ...given });
  const { instanceID } = await world.rpc.call(webhook.start, call);
  return world.execution.started.get(instanceID)?.idempotency?.key;
}

test('the id of a message of Standard Webhooks is the idempotency key of its start', async () => {
  expect(await keyOfStart({})).toBe('msg_1');
});

test('the id of a signed message takes precedence over an Idempotency-Key, which the signature does not cover', async () => {
  expect(await keyOfStart({ idempotencyKey: 'order-1' })).toBe('msg_1');
});
