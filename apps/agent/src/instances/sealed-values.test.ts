import type { HelloFrame, OfferFrame } from '@batuta/agent-protocol';
import { AgentPrivateKey, AgentPublicKey } from '@batuta/secrets';
import { AgentWorld, endlessFlow, OFFERED_INSTANCE } from '../../test/agent-world';
import { offerOf, type FakeSession } from '../../test/fake-router';
import { Control } from '../execution/control';
import { withOpenedValues } from './sealed-values';

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

const SECRET_VALUES = { matrix: [{ name: 'pin', type: 'Secreto', value: 's3cret' }], vault: { TOKEN: 'v4ult' } };
const OFFER_OF_RESPONSE = offerOf(
  [{ name: 'answer', type: 'webhookResponse', body: '["{{matrix.pin}}","{{vault.TOKEN}}",{{matrix.total}}]' }],
  { awaited: true, matrix: [{ name: 'total', type: 'Moeda', value: 1.5 }] },
);

const sealedTo = ({ publicKey = '' }: HelloFrame, values: unknown = SECRET_VALUES, held = OFFERED_INSTANCE): string =>
  AgentPublicKey.parse(publicKey).sealer()(JSON.stringify(values), held);

async function connectAgent(): Promise<{ session: FakeSession; hello: HelloFrame }> {
  await world.startAgent();
  const joined = await world.nextHello();
  joined.session.welcome();
  return joined;
}

test('an agent announces its public key, the same in every session', async () => {
  const { session, hello } = await connectAgent();
  session.socket.terminate();
  const again = await world.nextHello();
  expect(again.hello.publicKey).toBe(hello.publicKey);
  expect(AgentPublicKey.parse(hello.publicKey ?? '').fingerprint).toMatch(/^SHA256:/);
});

test('a flow gets the sealed values beside the open ones, and they are masked in its log', async () => {
  const { session, hello } = await connectAgent();
  await session.startInstance({ ...OFFER_OF_RESPONSE, sealed: sealedTo(hello) });
  const { responses, messages, end } = await session.acknowledgeUntilEnd();
  expect(responses).toEqual([{ code: 200, body: '["s3cret","v4ult",1.50]', masked: '["•••","•••",1.50]' }]);
  expect(end.outcome).toBe('FINALIZED');
  expect(messages.join()).not.toMatch(/s3cret|v4ult/);
});

test('values and flow of an offer with a box are only in the copy that runs, not in the offer that the agent keeps', async () => {
  const key = AgentPrivateKey.generate();
  const sealed = key.publicKey.sealer()(JSON.stringify(SECRET_VALUES), OFFERED_INSTANCE);
  const offer: OfferFrame = { ...OFFER_OF_RESPONSE, vault: { OPEN: 'v1sible' }, sealed };
  let opened: OfferFrame | undefined;
  const run = withOpenedValues((given) => {
    opened = given;
    return Promise.resolve({ outcome: 'FINALIZED', errorStep: null, errorMessage: null });
  }, key);
  await run(offer, new Control(), { log: () => Promise.resolve(), answer: () => undefined });
  expect(opened).toMatchObject({ flow: OFFER_OF_RESPONSE.flow, vault: { OPEN: 'v1sible', TOKEN: 'v4ult' } });
  const { flow, matrix, vault } = offer;
  expect({ flow, matrix, vault }).toEqual({ flow: null, matrix: [], vault: {} });
});

test('an offer without a box runs with its clear values, which a service of an earlier release sends', async () => {
  const { session } = await connectAgent();
  await session.startInstance({
    ...OFFER_OF_RESPONSE,
    ...SECRET_VALUES,
    matrix: [...OFFER_OF_RESPONSE.matrix, ...SECRET_VALUES.matrix],
  });
  expect((await session.acknowledgeUntilEnd()).responses).toMatchObject([{ body: '["s3cret","v4ult",1.50]' }]);
});

test('an instance that was offered before the connection broke, and granted by the resume, gets its sealed values', async () => {
  const { session, hello } = await connectAgent();
  session.send({ ...OFFER_OF_RESPONSE, sealed: sealedTo(hello) });
  await session.next('accept');
  session.socket.terminate();
  const { session: second } = await world.nextHello();
  second.welcome({ sessionID: 's-2', granted: [{ ...OFFERED_INSTANCE, desired: 'run' }] });
  expect((await second.acknowledgeUntilEnd()).responses).toMatchObject([{ body: '["s3cret","v4ult",1.50]' }]);
});

test.each<[string, (hello: HelloFrame) => string]>([
  [
    'for another agent',
    () => AgentPrivateKey.generate().publicKey.sealer()(JSON.stringify(SECRET_VALUES), OFFERED_INSTANCE),
  ],
  ['for another instance', (hello) => sealedTo(hello, SECRET_VALUES, { ...OFFERED_INSTANCE, instanceID: 'i-2' })],
  ['for an earlier fence', (hello) => sealedTo(hello, SECRET_VALUES, { ...OFFERED_INSTANCE, fence: 2 })],
  ['of values in another form', (hello) => sealedTo(hello, { matrix: [{ s3cret: 1 }], vault: {} })],
  ['of vault values that are no texts', (hello) => sealedTo(hello, { ...SECRET_VALUES, vault: { v4ult: 1 } })],
  ['that is none', () => 's3cret'],
])('a box %s ends the instance in error, without a step and without a part of a value', async (_, seal) => {
  const { session, hello } = await connectAgent();
  const offer: OfferFrame = { ...offerOf(endlessFlow), sealed: seal(hello) };
  await session.startInstance(offer);
  const { messages, end } = await session.acknowledgeUntilEnd();
  const { fingerprint } = AgentPublicKey.parse(hello.publicKey ?? '');
  expect(end).toMatchObject({ outcome: 'ERROR', errorStep: null });
  expect(end.errorMessage).toContain(`cannot be opened`);
  expect(end.errorMessage).toContain(fingerprint);
  expect(messages).toEqual([end.errorMessage]);
  expect(JSON.stringify([messages, end])).not.toMatch(/s3cret|v4ult/);
});
