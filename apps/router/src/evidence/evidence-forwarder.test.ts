import { MAX_PICTURE_BYTES, PICTURE_PART_BYTES } from '@batuta/agent-protocol';
import { corkUntilEndOfTurn } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../test/support/wait-until';
import { TestAgent } from '../../test/test-agent';
import { waitUntilTrue } from '../../test/until';
import { RouterWorld, type TestEnvironment } from '../../test/world';
import type { RunningRouter } from '../app';
import { UNSTORABLE } from '../reports/lasting-fault';
import { AgentMemory } from '../sessions/agent-memory';

let world: RouterWorld;
let router: RunningRouter;
let environment: TestEnvironment;
let agent: TestAgent;

beforeAll(async () => {
  world = await RouterWorld.create();
  router = await world.startRouter();
  environment = await world.addEnvironment();
});
beforeEach(async () => {
  world.fake.parts.length = 0;
  world.fake.partReply = { accepted: true };
  world.fake.partsHeld = Promise.resolve();
  ({ agent } = await TestAgent.join(router.url, environment.key));
});
afterEach(() => agent.cut());
afterAll(() => world?.close());

/** A part of a picture; every call names another picture of another instance. */
const partOf = (part: number, data = 'AAAA') => ({
  instanceID: uuid(),
  fence: 3,
  evidenceID: uuid(),
  mediaType: 'image/png',
  bytes: 3,
  part,
  data,
});
const sendPart = (part: object) => agent.send({ type: 'evidence', ...part });

test('the welcome says that pictures are accepted, and the size of their parts', async () => {
  const { agent: other, welcome } = await TestAgent.join(router.url, environment.key);
  expect(welcome.evidence).toEqual({ partBytes: PICTURE_PART_BYTES, pictureBytes: MAX_PICTURE_BYTES });
  other.cut();
});

test('a part of the largest size is forwarded with the environment of the agent, and acknowledged once it is stored', async () => {
  const part = partOf(1, Buffer.alloc(PICTURE_PART_BYTES).toString('base64'));
  sendPart(part);
  const { instanceID, fence, evidenceID } = part;
  expect(await agent.takeFrame('evidenceAck')).toEqual({
    type: 'evidenceAck',
    instanceID,
    fence,
    evidenceID,
    part: 1,
    accepted: true,
  });
  expect(world.fake.parts).toEqual([{ type: 'evidence', ...part, environmentID: environment.environmentID }]);
});

test('pictures use their company’s share of database connections, and a share of memory of their own', async () => {
  const companyID = uuid();
  const { key } = await world.addEnvironment(1, companyID);
  const { agent: other } = await TestAgent.join(router.url, key);
  world.fake.calls.length = 0;
  other.send({ type: 'evidence', ...partOf(1, Buffer.alloc(PICTURE_PART_BYTES).toString('base64')) });
  await other.takeFrame('evidenceAck');
  other.cut();
  expect(world.fake.calls.find(({ call }) => call === 'keepEvidence')).toMatchObject({
    tenant: companyID,
    memoryShare: `evidence of ${companyID}`,
  });
});

test('a part is sent to execution again until there is a reply, and the next parts wait in order', async () => {
  world.fake.fail('keepEvidence', 2);
  for (const part of [1, 2, 3]) sendPart(partOf(part));
  for (const part of [1, 2, 3]) expect(await agent.takeFrame('evidenceAck')).toMatchObject({ part, accepted: true });
  expect(world.fake.parts.map(({ part }) => part)).toEqual([1, 2, 3]);
});

test.each([
  ['refuses', { accepted: false, code: 'TOO_LARGE', message: 'too large' } as const],
  ['rejects for good', new ApiError('BAD_REQUEST', 'too large')],
])('a part that execution %s is not acknowledged as stored, with the reason', async (_how, reply) => {
  world.fake.partReply = reply;
  sendPart(partOf(1));
  const { code, message } = reply;
  expect(await agent.takeFrame('evidenceAck')).toMatchObject({ accepted: false, code, message });
});

/** Agents of environments of these companies, each with a part that the router has received. */
async function agentsWithParts(companies: string[]): Promise<TestAgent[]> {
  const agents: TestAgent[] = [];
  for (const company of companies) {
    const { key } = await world.addEnvironment(1, company);
    const { agent: one } = await TestAgent.join(router.url, key);
    one.send({ type: 'evidence', ...partOf(1) });
    one.send({ type: 'heartbeat' });
    await one.takeFrame('heartbeat');
    agents.push(one);
  }
  return agents;
}

const attemptsOf = (tenant: string) =>
  world.fake.calls.filter((made) => made.call === 'keepEvidence' && made.tenant === tenant);

test('parts of one company are forwarded one after the other, also those of different agents, while those of another company are not held up', async () => {
  const held = Promise.withResolvers<void>();
  world.fake.partsHeld = held.promise;
  const [company, otherCompany] = [uuid(), uuid()];
  const agents = await agentsWithParts([company, company, otherCompany]);
  await waitUntilTrue(() => attemptsOf(otherCompany).length > 0, 'the part of the other company');
  expect(attemptsOf(company)).toHaveLength(1);
  held.resolve();
  for (const one of agents) expect(await one.takeFrame('evidenceAck')).toMatchObject({ accepted: true });
  expect(attemptsOf(company)).toHaveLength(2);
  for (const one of agents) one.cut();
});

test('a part that execution does not store holds up no part of another agent of the company', async () => {
  world.fake.fail('keepEvidence', Infinity);
  const company = uuid();
  const agents = await agentsWithParts([company, company]);
  const instances = () => new Set(attemptsOf(company).map(({ request }) => Object(request).instanceID));
  await waitUntilTrue(() => instances().size === 2, 'an attempt to store the part of each agent');
  world.fake.fail('keepEvidence', 0);
  for (const one of agents) expect(await one.takeFrame('evidenceAck')).toMatchObject({ accepted: true });
  for (const one of agents) one.cut();
});

test('a part that execution answers with INTERNAL for too long is refused, but not during an outage', async () => {
  jest.replaceProperty(UNSTORABLE, 'afterMilliseconds', 0);
  const before = world.fake.countCalls('keepEvidence');
  world.fake.fail('keepEvidence', Infinity);
  sendPart(partOf(1));
  await waitUntilTrue(() => world.fake.countCalls('keepEvidence') >= before + 2, 'two attempts during an outage');
  expect(agent.has('evidenceAck')).toBe(false);
  world.fake.fail('keepEvidence', 1, false, 'INTERNAL');
  expect(await agent.takeFrame('evidenceAck')).toMatchObject({ accepted: false, code: 'INTERNAL' });
  sendPart(partOf(1));
  expect(await agent.takeFrame('evidenceAck')).toMatchObject({ accepted: true });
});

test('parts beyond the session’s limit of waiting parts are refused as busy, and the agent stays connected', async () => {
  world.fake.fail('keepEvidence', Infinity);
  for (let part = 1; part <= 6; part += 1) sendPart(partOf(part));
  for (const part of [5, 6]) {
    expect(await agent.takeFrame('evidenceAck')).toMatchObject({ part, accepted: false, code: 'BUSY' });
  }
  agent.send({ type: 'heartbeat' });
  await agent.takeFrame('heartbeat');
  world.fake.fail('keepEvidence', 0);
  for (const part of [1, 2, 3, 4]) expect(await agent.takeFrame('evidenceAck')).toMatchObject({ part, accepted: true });
});

test('parts of an environment beyond its share of memory are refused as busy, and parts of other environments are accepted', async () => {
  world.fake.fail('keepEvidence', Infinity);
  const data = Buffer.alloc(PICTURE_PART_BYTES).toString('base64');
  const agents = await Promise.all(Array.from({ length: 7 }, () => TestAgent.join(router.url, environment.key)));
  const replies = () => agents.flatMap(({ agent: one }) => one.frames.filter(({ type }) => type === 'evidenceAck'));
  for (const { agent: one } of agents) {
    for (const part of [1, 2, 3, 4]) one.send({ type: 'evidence', ...partOf(part, data) });
  }
  await waitUntilTrue(() => replies().length === 28 - 23, 'the refusals of what does not fit into 8 MB');
  const other = await world.addEnvironment();
  const { agent: stranger } = await TestAgent.join(router.url, other.key);
  world.fake.fail('keepEvidence', 0);
  stranger.send({ type: 'evidence', ...partOf(1, data) });
  expect(await stranger.takeFrame('evidenceAck')).toMatchObject({ accepted: true });
  for (const { agent: one } of [...agents, { agent: stranger }]) one.cut();
});

test.each([
  ['an id that is no UUID', { evidenceID: '../other' }, /^evidenceID:/],
  ['a part number that is no whole number', { part: 1.5 }, /^part:/],
  ['a size beyond every number', { bytes: 1e300 }, /^bytes:/],
  ['more bytes than a part has', { data: 'A'.repeat(400_000) }, /^data:/],
])('a part with %s is no frame of the protocol', async (_what, over, message) => {
  const part = partOf(1);
  sendPart({ ...part, ...over });
  expect(await agent.takeFrame('error')).toMatchObject({ code: 'BAD_FRAME', message: expect.stringMatching(message) });
  expect(await agent.waitForClose()).toBe(4400);
  expect(world.fake.parts.some(({ instanceID }) => instanceID === part.instanceID)).toBe(false);
});

describe('a session that ends while its early frames are handled', () => {
  let isUnreadFull: jest.SpyInstance;
  beforeEach(() => {
    isUnreadFull = jest.spyOn(AgentMemory.prototype, 'isUnreadFull');
  });
  afterEach(() => isUnreadFull.mockRestore());

  test('a part that follows a second hello keeps no memory', async () => {
    // The router asks for the unread bytes of the agent of beforeEach before it claims work.
    const memory: AgentMemory = await waitUntil('the memory of the router', () => isUnreadFull.mock.contexts[0]);
    const other = await TestAgent.connect(router.url, environment.key);
    // All frames arrive in one chunk, so the router has received the part before the welcome.
    corkUntilEndOfTurn(Reflect.get(other.socket, '_socket'));
    other.sendHello();
    other.sendHello();
    other.send({ type: 'evidence', ...partOf(1) });
    await other.takeFrame('welcome');
    expect(await other.waitForClose()).toBe(4400);
    // Agents of earlier tests may have left parts, whose memory is released when their sessions end.
    await waitUntilTrue(() => memory.parts.usedBytes === 0, 'the release of the memory of all parts');
  });
});
