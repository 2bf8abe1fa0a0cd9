import type { Flow } from '@batuta/flow';
import { TestAgent } from '../../../apps/router/test/test-agent';
import { makeEnvironment, makeProcess, type Environment, type Process } from '../support/tenants/factories';
import { untilEnded, instanceOf, messagesOf } from '../support/tenants/instances';
import { startServiceProcesses, type ServiceProcessStack } from '../support/stack/stack';

let stack: ServiceProcessStack;
let environment: Environment;
let process: Process;

/** A flow that runs long enough for a stream to be opened before it ends. */
const FLOW: Flow = {
  start: 'Sum',
  steps: [
    {
      name: 'Sum',
      type: 'variables',
      rows: [{ name: 'sum', mode: 'Fórmula', value: '{matrix.total} * 2' }],
      routes: [{ to: 'Rest' }],
    },
    { name: 'Rest', type: 'wait', seconds: 2, routes: [{ to: 'Close' }] },
    { name: 'Close', type: 'variables' },
  ],
};

beforeAll(async () => {
  stack = await startServiceProcesses({ replicas: 'together' });
  await stack.addReplica('gateway');
  environment = await makeEnvironment(stack);
  const matrix = [
    { name: 'total', type: 'Moeda' },
    { name: 'pin', type: 'Secreto' },
  ];
  process = await makeProcess(stack, { environment, flow: FLOW, matrix });
});
afterAll(() => stack?.stop());

interface Event {
  event: string;
  id: string;
  data: { message?: string; status?: string };
}

/** Reads events at a replica of the gateway until the stream ends or an event satisfies `enough`. `last` = the id after which the stream begins. */
async function eventsOf(replica: number, instanceID: string, last?: string, enough?: (event: Event) => boolean) {
  const gone = new AbortController();
  const response = await fetch(`${stack.services.gateway[replica]?.url}/v1/instances/${instanceID}/events`, {
    headers: {
      authorization: `Bearer ${process.owner.credential}`,
      ...(last === undefined ? {} : { 'last-event-id': last }),
    },
    signal: AbortSignal.any([gone.signal, AbortSignal.timeout(120_000)]),
  });
  const events: Event[] = [];
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    events.push(...blocks.flatMap(readEvent));
    if (enough && events.some(enough)) break;
  }
  gone.abort();
  return { status: response.status, events };
}

function readEvent(block: string): Event[] {
  const { event, id, data } = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return event && id && data ? [{ event, id, data: JSON.parse(data) }] : [];
}

test('a dry run answers what a start would do and changes nothing', async () => {
  const path = `/processes/${process.processID}/start?dryRun=true`;
  const ask = (matrix: object) => process.owner.api('POST', path, { processKey: process.processKey, body: { matrix } });
  expect((await ask({ total: 'R$ 1.234,56', pin: 99 })).body).toEqual({
    matrix: { total: 1234.56, pin: '•••' },
    refusals: [],
    environment: { environmentID: environment.environmentID, name: expect.any(String), online: false },
    status: 'queued',
  });
  expect((await ask({ total: 'abc' })).body).toMatchObject({ refusals: [{ code: 'INVALID_MATRIX' }] });
  const history = await process.owner.manage('GET', `/processes/${process.processID}/instances`);
  expect(history).toEqual({ instances: [] });
});

test('a queued instance shows its position and the reason, and its event stream resumes at another replica', async () => {
  const ids = [
    instanceOf(await process.start({ matrix: { total: 1 } })),
    instanceOf(await process.start({ matrix: { total: 2 } })),
  ];
  const [first = '', second = ''] = ids;
  const queueOf = async (instanceID: string) => {
    const { body } = await process.owner.api('GET', `/instances/${instanceID}`);
    return Object(body).queue;
  };
  expect(await queueOf(first)).toEqual({ position: 1, reason: 'AGENT_OFFLINE' });
  expect(await queueOf(second)).toEqual({ position: 2, reason: 'AGENT_OFFLINE' });

  const begun = eventsOf(0, first, undefined, ({ event }) => event === 'log');
  await stack.startAgent(environment);
  const seen = (await begun).events.filter(({ event }) => event === 'log');
  const rest = await eventsOf(1, first, seen.at(-1)?.id);
  const lines = [...seen, ...rest.events].filter(({ event }) => event === 'log');
  expect(lines.map(({ data }) => data.message)).toEqual(await messagesOf(process.owner, first));
  expect(rest.events.at(-1)).toMatchObject({ event: 'status', data: { status: 'success' } });
  expect(await eventsOf(0, first, rest.events.at(-1)?.id)).toEqual({ status: 204, events: [] });
  expect(await untilEnded(process.owner, second)).toMatchObject({ status: 'success' });
});

test('a start that no connected agent can run waits and says why, until an agent connects that can', async () => {
  const place = await makeEnvironment(stack, { name: 'Plant' });
  const { agent: lesser } = await TestAgent.join(stack.router, place.activationKey, { abilities: ['wait'] });
  const waiting = await makeProcess(stack, {
    environment: place,
    flow: FLOW,
    matrix: [{ name: 'total', type: 'Moeda' }],
  });
  const path = `/processes/${waiting.processID}`;
  const message = 'No connected agent of the environment "Plant" runs variables steps.';
  expect(await waiting.owner.manage('POST', `${path}/publish`)).toEqual({ version: 2, warnings: [message] });
  const started = await waiting.start({});
  expect([started.status, started.body]).toMatchObject([202, { status: 'queued' }]);
  const { body } = await waiting.owner.api('GET', `/instances/${instanceOf(started)}`);
  expect(Object(body).queue).toEqual({ position: 1, reason: 'ABILITY_MISSING', message });
  const { agent: able } = await TestAgent.join(stack.router, place.activationKey);
  expect(await able.acceptOffer()).toMatchObject({ instanceID: instanceOf(started) });
  expect(lesser.has('offer')).toBe(false);
  for (const agent of [lesser, able]) agent.cut();
});
