import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startTraceCollector, type CollectedSpan, type TraceCollector } from '../../support/trace-collector';
import { openTestStore } from '../support/stack/database';
import { makeProcess } from '../support/tenants/factories';
import { instanceOf, untilEnded } from '../support/tenants/instances';
import { startServiceProcesses, type ServiceProcessStack } from '../support/stack/stack';
import { until } from '../support/until';
import { makeOrigin, sendEvent } from '../support/webhooks/webhooks';
import { answeringFlow } from '../support/tenants/answer-flows';

// Traces over OTLP/HTTP, from the services and the agent, as a collector gets them.

const CALLER_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER_SPAN = '00f067aa0ba902b7';
const MATRIX_PASSWORD = 'hunter2-of-the-sender';

let collector: TraceCollector;
let stack: ServiceProcessStack;
let otel: Record<string, string>;

beforeAll(async () => {
  collector = await startTraceCollector();
  otel = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' };
  stack = await startServiceProcesses({ replicas: 'together', env: { ...otel, OTEL_SERVICE_NAME: 'batuta' } });
});

afterAll(async () => {
  await stack?.stop();
  await collector?.close();
});

/** The spans of a trace, once spans with all of these names have arrived. */
function untilSpans(traceId: string, names: readonly string[]): Promise<CollectedSpan[]> {
  return until(
    async () => collector.spans.filter((span) => span.traceId === traceId),
    (spans) => names.every((name) => spans.some((span) => span.name === name)),
  );
}

const withTraceparent = (traceparent: string) => ({ headers: { traceparent } });

test('one trace leads from a start over HTTP through NATS and the queue to the steps at the agent and back', async () => {
  const matrix = [{ name: 'password', type: 'Secreto' }];
  const process = await makeProcess(stack, { matrix, flow: answeringFlow('{ "ok": true }') });
  const { owner, processID, processKey, environment } = process;
  const started = await owner.api('POST', `/processes/${processID}/start`, {
    processKey,
    body: { matrix: { password: MATRIX_PASSWORD } },
    ...withTraceparent(`00-${CALLER_TRACE}-${CALLER_SPAN}-00`),
  });
  const agent = await stack.startAgent({ ...environment, env: { ...otel, BATUTA_AGENT_ISOLATION: 'process' } });
  const instanceID = instanceOf(started);
  await untilEnded(owner, instanceID);
  await agent.stop();

  const names = [
    'POST /v1/processes/:pid/start',
    'execution.start',
    'acceptance',
    'queue wait',
    'dispatch',
    'execution.grant',
    'execution',
    'step Answer',
    'report',
    'execution.report',
  ];
  const spans = await untilSpans(CALLER_TRACE, names);
  const spanNamed = (name: string) => spans.find((span) => span.name === name);
  const parentOf = (name: string) => spans.find(({ spanId }) => spanId === spanNamed(name)?.parentSpanId)?.name;
  expect(spanNamed('POST /v1/processes/:pid/start')).toMatchObject({ parentSpanId: CALLER_SPAN, service: 'batuta' });
  expect(spanNamed('step Answer')).toMatchObject({
    service: 'batuta-agent',
    attributes: { 'batuta.step.type': 'webhookResponse' },
  });
  expect(Object.fromEntries(names.slice(1).map((name) => [name, parentOf(name)]))).toEqual({
    'execution.start': 'POST /v1/processes/:pid/start',
    acceptance: 'execution.start',
    'queue wait': 'acceptance',
    dispatch: 'acceptance',
    'execution.grant': 'dispatch',
    execution: 'dispatch',
    'step Answer': 'execution',
    report: 'execution',
    'execution.report': 'report',
  });
  for (const name of ['acceptance', 'queue wait', 'dispatch', 'execution', 'report']) {
    expect([name, spanNamed(name)?.attributes['batuta.instance.id']]).toEqual([name, instanceID]);
  }
  for (const secret of [MATRIX_PASSWORD, processKey, owner.credential, environment.activationKey]) {
    expect(collector.text()).not.toContain(secret);
  }

  // The histograms have exemplars with the id of a trace.
  const response = await fetch(`${stack.gateway}/metrics`);
  expect(response.headers.get('content-type')).toContain('application/openmetrics-text');
  expect(await response.text()).toMatch(/gateway_request_seconds_bucket\{.*\} \d+ # \{trace_id="[0-9a-f]{32}"\}/);
});

test('the trace of a webhook call that waits for its answer has a span for the wait', async () => {
  const process = await makeProcess(stack, { flow: answeringFlow('{ "ok": true }') });
  // This agent does not trace.
  const agent = await stack.startAgent(process.environment);
  const origin = await makeOrigin(process, { responseMode: 'Aguardar' });
  const traceId = randomBytes(16).toString('hex');
  const answer = await until(
    () => sendEvent(origin.prodUrl, {}, { traceparent: `00-${traceId}-${CALLER_SPAN}-01` }),
    ({ status }) => status === 200,
  );
  expect(answer.body).toEqual({ ok: true });
  const spans = await untilSpans(traceId, ['webhook answer', 'webhook.start', 'acceptance', 'dispatch', 'report']);
  expect(spans.filter(({ service }) => service === 'batuta-agent')).toEqual([]);
  expect(collector.text()).not.toContain(new URL(origin.prodUrl).pathname.split('/').at(-1));
  await agent.stop();
});

test('a firing of a schedule begins a trace', async () => {
  const { owner, processID, processKey } = await makeProcess(stack);
  // A daily expression for the current minute.
  const nominalTime = new Date(Math.floor(Date.now() / 60_000) * 60_000);
  const [hour, minute] = nominalTime.toLocaleTimeString('en-GB', { timeZone: 'America/Sao_Paulo' }).split(':');
  const made = await owner.api('POST', '/schedules', {
    processKey,
    body: { processID, name: 'Daily', cronExpression: `${minute} ${hour} * * *` },
  });
  const { id } = Object(made.body);
  const store = await openTestStore(stack.databaseUrl);
  await store.write('UPDATE schedule SET next_at = ? WHERE schedule_id = ?', [nominalTime, id]);
  await store.close();
  const [firing] = await until(
    async () => collector.spans.filter(({ attributes }) => attributes['batuta.schedule.id'] === id),
    (found) => found.length > 0,
  );
  expect(firing).toMatchObject({ name: 'firing', parentSpanId: '' });
  await untilSpans(String(firing?.traceId), ['firing', 'execution.start', 'acceptance']);
});

test.each([
  ['a text', 'x'.repeat(5_000)],
  ['zeros', `00-${'0'.repeat(32)}-${CALLER_SPAN}-01`],
  ['two of them', `00-${CALLER_TRACE}-${CALLER_SPAN}-01, 00-${CALLER_TRACE}-${CALLER_SPAN}-01`],
])('a call whose traceparent is invalid (%s) is answered and begins a trace of its own', async (_, traceparent) => {
  const before = collector.spans.filter(({ traceId }) => traceId === CALLER_TRACE).length;
  const requestID = randomBytes(8).toString('hex');
  const response = await fetch(`${stack.gateway}/v1/ping`, { headers: { traceparent, 'x-request-id': requestID } });
  expect(response.status).toBe(200);
  const [span] = await until(
    async () => collector.spans.filter(({ attributes }) => attributes['batuta.request.id'] === requestID),
    (found) => found.length > 0,
  );
  expect(span?.parentSpanId).toBe('');
  expect(collector.spans.filter(({ traceId }) => traceId === CALLER_TRACE)).toHaveLength(before);
});

/** Prints which packages of OpenTelemetry are loaded when the service connects to its database, and ends there. */
const PRINT_LOADED = `
  const { Module } = require('node:module');
  const loaded = [];
  const load = Module._load;
  Module._load = (name, ...rest) => (name.startsWith('@opentelemetry') && loaded.push(name), load(name, ...rest));
  require('node:net').Socket.prototype.connect = () => { console.log(JSON.stringify(loaded)); process.exit(0); };
  require(process.argv[1]);
`;

test.each([
  ['off', {}, []],
  [
    'on',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
    expect.arrayContaining(['@opentelemetry/sdk-trace', '@opentelemetry/exporter-trace-otlp-http']),
  ],
])('a service loads the packages of OpenTelemetry only when tracing is on: %s', (_, env, expected) => {
  const main = join(__dirname, '../../../dist/apps/execution/main.js');
  const { stdout } = spawnSync(process.execPath, ['--eval', PRINT_LOADED, main], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: 'mysql://nobody@127.0.0.1:1/none',
      NATS_URL: 'nats://127.0.0.1:1',
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      ...env,
    },
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(JSON.parse(stdout)).toEqual(expected);
});
