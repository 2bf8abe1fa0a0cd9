import { MAX_RESPONSE_BYTES } from '@batuta/agent-protocol';
import { TestAgent } from '../../test/test-agent';
import { waitUntilTrue } from '../../test/until';
import { RouterWorld, type TestEnvironment } from '../../test/world';
import type { RunningRouter } from '../app';
import { UNSTORABLE } from './lasting-fault';
import { REFUSAL } from './report-forwarder';
import { INBOX_LIMITS } from '../sessions/report-inbox';

let world: RouterWorld;
let router: RunningRouter;
let environment: TestEnvironment;

beforeAll(async () => {
  world = await RouterWorld.create();
  router = await world.startRouter();
  environment = await world.addEnvironment();
});

afterAll(() => world?.close());

/** A new agent to which an instance with this id was granted. */
async function runOne(instanceID: string) {
  const { agent } = await TestAgent.join(router.url, environment.key);
  world.fake.queue(environment.environmentID, instanceID);
  return { agent, held: await agent.acceptOffer() };
}

test('reports are acknowledged in order, each once execution has stored it', async () => {
  const { agent, held } = await runOne('ordered');
  world.fake.fail('report', 2);
  for (const seq of [1, 2, 3]) agent.sendReport(held, seq, seq === 3);
  for (const seq of [1, 2, 3]) {
    expect(await agent.takeFrame('ack')).toEqual({ type: 'ack', ...held, seq, accepted: true });
    expect(world.fake.get('ordered').reports.length).toBeGreaterThanOrEqual(seq);
  }
  expect(world.fake.get('ordered').reports.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(world.fake.get('ordered').status).toBe('ended');
  agent.cut();
});

test('a report without a reply of execution is not acknowledged', async () => {
  const { agent, held } = await runOne('unanswered');
  const before = world.fake.countCalls('report');
  world.fake.fail('report', Infinity);
  agent.sendReport(held, 1);
  await waitUntilTrue(() => world.fake.countCalls('report') >= before + 3, 'three attempts');
  expect(agent.has('ack')).toBe(false);
  world.fake.fail('report', 0);
  expect(await agent.takeFrame('ack')).toMatchObject({ seq: 1, accepted: true });
  agent.cut();
});

test('a report that execution answers with INTERNAL for too long asks for the end of its instance, but not during an outage', async () => {
  const unstorableLimit = jest.replaceProperty(UNSTORABLE, 'afterMilliseconds', 0);
  const { agent, held } = await runOne('unstorable');
  const before = world.fake.calls.length;
  const endRequests = () =>
    world.fake.calls
      .slice(before)
      .filter(({ call }) => call === 'report')
      .map(({ request }) => Object(request).endIfUnstorable);
  world.fake.fail('report', Infinity);
  agent.sendReport(held, 1);
  await waitUntilTrue(() => endRequests().length >= 2, 'two attempts during an outage');
  world.fake.fail('report', 1, false, 'INTERNAL');
  expect(await agent.takeFrame('ack')).toMatchObject({ seq: 1, accepted: true });
  expect(new Set(endRequests().slice(0, -1))).toEqual(new Set([undefined]));
  expect(endRequests().at(-1)).toBe(true);
  agent.cut();
  unstorableLimit.restore();
});

test('the metrics of the router show that a report is not stored, until it is', async () => {
  const { agent, held } = await runOne('shown');
  const failingSeconds = async () => {
    const text = await (await fetch(`${router.url}/metrics`)).text();
    return Number(/^batuta_router_report_failing_seconds\S* (.+)$/m.exec(text)?.[1]);
  };
  world.fake.fail('report', Infinity);
  agent.sendReport(held, 1);
  await waitUntilTrue(async () => (await failingSeconds()) > 0, 'the report fails');
  world.fake.fail('report', 0);
  await agent.takeFrame('ack');
  expect(await failingSeconds()).toBe(0);
  agent.cut();
});

test('a report is stored once when the reply to its commit was lost', async () => {
  const { agent, held } = await runOne('twice');
  world.fake.fail('report', 1, true);
  agent.sendReport(held, 1, true);
  expect(await agent.takeFrame('ack')).toMatchObject({ seq: 1, accepted: true });
  expect(world.fake.get('twice').reports).toHaveLength(1);
  agent.cut();
});

test('reports of instances without a grant are refused without a call to execution', async () => {
  const { agent, held } = await runOne('mine');
  const before = world.fake.countCalls('report');
  agent.sendReport({ instanceID: 'mine', fence: held.fence + 1 }, 1);
  expect(await agent.takeFrame('ack')).toMatchObject({ fence: held.fence + 1, accepted: false });
  agent.sendReport({ instanceID: 'other', fence: 1 }, 1);
  expect(await agent.takeFrame('ack')).toMatchObject({ instanceID: 'other', accepted: false });
  expect(world.fake.countCalls('report')).toBe(before);
  agent.cut();
});

describe('invalid reports', () => {
  const refusedLine = { timestamp: '2026-01-05T12:00:00.000Z', severity: 'FATAL', message: 's3cret', stepID: 'a' };
  const invalid = (held: object, seq: number) => ({ type: 'report', ...held, seq, lines: [refusedLine] });
  const problem = 'lines.0.severity: must be one of INFO, WARNING, ERROR';
  let limit: jest.ReplaceProperty<number>;
  beforeEach(() => {
    limit = jest.replaceProperty(REFUSAL, 'limitMilliseconds', 60_000);
  });
  afterEach(() => limit.restore());

  test('an invalid report ends its instance behind the reports before it, with the reason that the agent gets and no value of the report', async () => {
    const { agent, held } = await runOne('invalid');
    world.fake.fail('report', 2);
    agent.sendReport(held, 1);
    agent.send(invalid(held, 2));
    agent.sendReport(held, 3, true);
    expect(await agent.takeFrame('error')).toMatchObject({ instanceID: 'invalid', message: problem });
    expect(await agent.waitForClose()).toBe(4400);
    const { reports, status } = world.fake.get('invalid');
    const errorMessage = `The router refused a report of the agent, so the result of the execution is not known: ${problem}`;
    expect(status).toBe('ended');
    expect(reports).toMatchObject([
      { seq: 1 },
      { seq: 2, lines: [{ severity: 'ERROR', message: errorMessage }], end: { outcome: 'CRASHED', errorMessage } },
    ]);
    expect(JSON.stringify(reports)).not.toContain('s3cret');
    expect(agent.frames.filter(({ type }) => type === 'ack')).toMatchObject([{ seq: 1 }]);
  });

  test.each([0, 1, 'two', 9])('an invalid report with the number %j behind report 1 ends its instance', async (seq) => {
    const { agent, held } = await runOne(`numbered ${seq}`);
    agent.sendReport(held, 1);
    agent.send({ type: 'report', ...held, seq, lines: 'none' });
    expect(await agent.waitForClose()).toBe(4400);
    expect(world.fake.get(`numbered ${seq}`).reports).toMatchObject([
      { seq: 1 },
      { seq: 2, end: { outcome: 'CRASHED' } },
    ]);
  });

  test('an invalid report of an instance from an earlier session ends it', async () => {
    const { agent, held } = await runOne('adopted');
    const { sessionID = '' } = world.fake.get('adopted');
    agent.cut();
    const next = await TestAgent.join(router.url, environment.key, { resume: { sessionID, held: [held] } });
    next.agent.send(invalid(held, 1));
    expect(await next.agent.waitForClose()).toBe(4400);
    expect(world.fake.get('adopted').reports).toMatchObject([{ seq: 1, end: { outcome: 'CRASHED' } }]);
  });

  test('an invalid report ends an instance that is to stop as stopped', async () => {
    const { agent, held } = await runOne('stopping');
    world.fake.setDesired('stopping', 'stop', true);
    await agent.takeFrame('desired');
    agent.send(invalid(held, 1));
    expect(await agent.waitForClose()).toBe(4400);
    expect(world.fake.get('stopping').reports).toMatchObject([{ end: { outcome: 'STOPPED' } }]);
  });

  test('an invalid report closes the connection also while execution stores nothing', async () => {
    limit.replaceValue(100);
    const { agent, held } = await runOne('unstored');
    world.fake.fail('report', Infinity);
    agent.send(invalid(held, 1));
    expect(await agent.waitForClose()).toBe(4400);
    world.fake.fail('report', 0);
    expect(world.fake.get('unstored').reports).toEqual([]);
  });
});

test('an instance whose report execution refuses frees the room that it takes at its agent', async () => {
  const { environmentID, key } = await world.addEnvironment(1);
  const { agent } = await TestAgent.join(router.url, key);
  world.fake.queue(environmentID, 'given-up');
  const held = await agent.acceptOffer();
  world.fake.queue(environmentID, 'next');
  world.fake.get('given-up').status = 'crashed';
  agent.sendReport(held, 1);
  expect(await agent.takeFrame('ack')).toMatchObject({ accepted: false });
  await agent.takeFrame('offer');
  agent.cut();
});

test('the answer to a waiting caller is forwarded unchanged', async () => {
  const { agent, held } = await runOne('answered');
  const answers = [
    { code: 201, body: JSON.stringify({ text: '«ç"\n\u0000' }) },
    { code: 'teapot', body: 7, masked: null },
    { code: 200, body: 'x'.repeat(MAX_RESPONSE_BYTES) },
  ];
  for (const [index, response] of answers.entries()) {
    agent.send({ type: 'report', ...held, seq: index + 1, lines: [], response });
    expect(await agent.takeFrame('ack')).toMatchObject({ seq: index + 1, accepted: true });
  }
  expect(world.fake.get('answered').reports.map(({ response }) => response)).toEqual(answers);
  agent.cut();
});

test('an answer that is nested too deeply to be sent is stored as an invalid one', async () => {
  const { agent, held } = await runOne('nested');
  const nested = '['.repeat(100_000) + ']'.repeat(100_000);
  const report = JSON.stringify({ type: 'report', ...held, seq: 1, lines: [], response: { code: 200, body: 0 } });
  agent.send(report.replace('"body":0', `"body":${nested}`));
  expect(await agent.takeFrame('ack')).toMatchObject({ seq: 1, accepted: true });
  expect(world.fake.get('nested').reports).toMatchObject([{ response: { code: 200, body: false } }]);
  agent.cut();
});

const REPORT_BYTES = 100_000;
const line = { timestamp: '2026-01-05T12:00:00.000Z', severity: 'INFO', message: 'x'.repeat(16_000), stepID: 'a' };

test.each([
  ['lines', { lines: Array.from({ length: REPORT_BYTES / 16_000 }, () => line) }],
  ['answers', { lines: [], response: { code: 200, body: 'x'.repeat(REPORT_BYTES) } }],
])('while too many %s wait for execution the socket is not read, and no report is lost', async (kind, content) => {
  const limit = jest.replaceProperty(INBOX_LIMITS, 'bytes', 4 * REPORT_BYTES);
  const { agent, held } = await runOne(`flood of ${kind}`);
  world.fake.fail('report', Infinity);
  // Bytes that the router does not read first fill the system's buffers and then stay in the send buffer of the agent's
  // socket.
  let sent = 0;
  let unchanged = 0;
  let before = 0;
  await waitUntilTrue(() => {
    const { bufferedAmount } = agent.socket;
    unchanged = bufferedAmount > 0 && bufferedAmount === before ? unchanged + 1 : 0;
    before = bufferedAmount;
    if (bufferedAmount > 0) return unchanged > 50;
    for (const end = sent + 5; sent < end;) agent.send({ type: 'report', ...held, seq: (sent += 1), ...content });
    return false;
  }, 'back-pressure');
  world.fake.fail('report', 0);
  const { reports } = world.fake.get(`flood of ${kind}`);
  await waitUntilTrue(() => reports.length === sent, 'all reports');
  expect(reports.map(({ seq }) => seq)).toEqual(Array.from({ length: sent }, (_, n) => n + 1));
  agent.cut();
  limit.restore();
});
