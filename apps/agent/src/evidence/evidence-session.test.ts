import type { EvidenceFrame } from '@batuta/agent-protocol';
import { createLogger } from '@batuta/logging';
import { FakeRouter, offerOf, type FakeSession } from '../../test/fake-router';
import { MISBEHAVING_PROGRAM } from '../../test/runner-world';
import { createAgent, type Agent } from '../app';
import { readAgentConfig } from '../config';

// Every execution of the agent keeps one picture and ends at once; each test acts as the router.

const EVIDENCE_LIMITS = { partBytes: 4, pictureBytes: 100 };

let router: FakeRouter;
let agent: Agent;
beforeEach(async () => {
  router = await FakeRouter.create();
  const config = readAgentConfig({
    BATUTA_ROUTER_URL: router.url,
    BATUTA_AGENT_KEY: 'activation-key',
    BATUTA_AGENT_WARM_PROCESSES: '0',
    BATUTA_AGENT_STATE_FOLDER: 'none',
  });
  agent = await createAgent(config, {
    logger: createLogger('agent', 'silent'),
    reconnect: { backoff: { first: 10, longest: 20 }, refusedMs: 30 },
    runProgram: MISBEHAVING_PROGRAM,
  });
});
afterEach(async () => {
  await router.close();
  await agent.close();
});

async function nextSession(welcome: Parameters<FakeSession['welcome']>[0]): Promise<FakeSession> {
  const session = await router.nextSession();
  await session.next('hello');
  session.welcome(welcome);
  return session;
}

const runOne = (session: FakeSession) => session.startInstance(offerOf([], { processName: 'pictureAndEnd' }));
const acknowledge = (session: FakeSession, { instanceID, fence, evidenceID, part }: EvidenceFrame) =>
  session.send({ type: 'evidenceAck', instanceID, fence, evidenceID, part, accepted: true });
const nextPart = (session: FakeSession) => session.next('evidence');

test('a picture is sent beside the reports and repeated in the next session, although its instance has ended', async () => {
  const first = await nextSession({ evidence: EVIDENCE_LIMITS });
  await runOne(first);
  const part = await nextPart(first);
  expect(part).toMatchObject({ instanceID: 'i-1', fence: 1, bytes: 7, part: 1, data: 'cGljdA==' });
  expect(await first.acknowledgeUntilEnd()).toMatchObject({ end: { outcome: 'FINALIZED' } });
  first.socket.terminate();
  const second = await nextSession({ sessionID: 's-2', evidence: EVIDENCE_LIMITS });
  expect(await nextPart(second)).toEqual(part);
  acknowledge(second, part);
  expect(await nextPart(second)).toMatchObject({ evidenceID: part.evidenceID, part: 2, data: 'dXJl' });
});

test('an agent that shuts down disconnects after the last part is acknowledged', async () => {
  const session = await nextSession({ evidence: EVIDENCE_LIMITS });
  await runOne(session);
  await session.acknowledgeUntilEnd();
  const parts = [await nextPart(session)];
  const closed = agent.close({ drainSeconds: 60 });
  await session.next('drain');
  for (const part of parts) {
    acknowledge(session, part);
    if (part.part === 1) parts.push(await nextPart(session));
  }
  await closed;
  expect(parts).toHaveLength(2);
});

test('a router that takes no pictures gets none, and the execution ends normally', async () => {
  const session = await nextSession({});
  await runOne(session);
  expect(await session.acknowledgeUntilEnd()).toMatchObject({ end: { outcome: 'FINALIZED' } });
  expect(session.frames.filter(({ type }) => type === 'evidence')).toEqual([]);
});
