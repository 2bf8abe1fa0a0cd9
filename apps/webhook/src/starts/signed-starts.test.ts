import { webhook, type HookStart, type StartReply } from '@batuta/contracts';
import { createHmac } from 'node:crypto';
import { createHookStart } from '../../test/calls';
import { addOrigin, publishVersion, registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';
import { sealSignature } from '../origins/sealed-columns';

const HEADER = 'Stripe-Signature';
const SECRET = 'whsec_test';
const TOLERANCE_SECONDS = 300;

let world: WebhookWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

interface SignedOrigin {
  processID: string;
  originID: string;
  versionID: string;
}

/** An origin whose published mapping has the field `a`; without `hasRule` its signature rule was removed. */
async function addSignedOrigin({ hasRule } = { hasRule: true }): Promise<SignedOrigin> {
  const { processID } = await registerProcess(world.store);
  const rule = { header: HEADER, secret: SECRET, toleranceSeconds: TOLERANCE_SECONDS };
  const signature = (id: string) => sealSignature(world.keys, id, rule);
  const originID = await addOrigin(world.store, processID, hasRule ? { signature } : {});
  const entries = [{ pointer: '/a', variableId: 'a' }];
  return { processID, originID, versionID: await publishVersion(world.store, processID, [{ originID, entries }]) };
}

function start({ versionID, ...origin }: SignedOrigin, body: string, given: Partial<HookStart>): Promise<StartReply> {
  return world.rpc.call(webhook.start, createHookStart(origin, body, { versionID, signed: true, ...given }));
}

/** The value of the field `a` that execution received. */
async function startedValue(origin: SignedOrigin, body: string, given: Partial<HookStart> = {}): Promise<unknown> {
  const { instanceID } = await start(origin, body, given);
  return world.execution.started.get(instanceID)?.mapped?.values[0]?.value;
}

function signatureOf(body: string, seconds = Math.floor(Date.now() / 1_000)): Pick<HookStart, 'headers'> {
  const digest = createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex');
  return { headers: { [HEADER.toLowerCase()]: `t=${seconds},v1=${digest}` } };
}

test('a signed origin starts with a valid signature', async () => {
  expect(await startedValue(await addSignedOrigin(), '{"a":1}', signatureOf('{"a":1}'))).toBe(1);
});

test('a signed origin refuses an invalid, old or missing signature, whatever the body', async () => {
  const origin = await addSignedOrigin();
  const refused = { code: 'WEBHOOK_SIGNATURE_INVALID', message: expect.stringContaining(HEADER) };
  await expect(start(origin, '{"a":2}', signatureOf('{"a":1}'))).rejects.toMatchObject(refused);
  await expect(start(origin, '{"a":1}', signatureOf('{"a":1}', 1))).rejects.toMatchObject(refused);
  await expect(start(origin, 'no JSON', {})).rejects.toMatchObject(refused);
  expect(world.execution.requestsOf(origin.processID)).toEqual([]);
});

test('a call that the gateway repeats starts although its signature has become too old since it arrived', async () => {
  const origin = await addSignedOrigin();
  const calledAt = Date.now() - 60_000;
  const call = signatureOf('{"a":1}', Math.floor(calledAt / 1_000) - TOLERANCE_SECONDS + 1);
  expect(await startedValue(origin, '{"a":1}', { ...call, calledAt, resent: true })).toBe(1);
  const refused = { code: 'WEBHOOK_SIGNATURE_INVALID' };
  await expect(start(origin, '{"a":1}', { ...call, resent: true })).rejects.toMatchObject(refused);
});

test('a signed origin needs no signature once its rule was removed', async () => {
  expect(await startedValue(await addSignedOrigin({ hasRule: false }), '{"a":1}')).toBe(1);
});
