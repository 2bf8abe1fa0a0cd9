import { readSettings, TracingSettings } from '@batuta/config';
import { ApiError } from '@batuta/errors';
import { createLogger, currentTrace, withRequestID, withTrace } from '@batuta/logging';
import { startTraceCollector, type TraceCollector } from '../../../test/support/trace-collector';
import { waitUntil } from '../../../test/support/wait-until';
import {
  isSameTrace,
  isTracing,
  recordSpan,
  startSpan,
  startTrace,
  startTracing,
  runInSpan,
  traceToSend,
} from './tracing';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE_ID}-${SPAN_ID}-01`;

let collector: TraceCollector;
let stop: () => Promise<void>;
let warnings: object[];
const warner = createLogger('test', 'warn', { write: (line) => void warnings.push(JSON.parse(line)) });
beforeAll(async () => {
  collector = await startTraceCollector();
});
afterAll(() => collector?.close());
beforeEach(() => {
  warnings = [];
  collector.status = 200;
  collector.spans.length = 0;
});
afterEach(() => stop());

function start(env: NodeJS.ProcessEnv = {}): void {
  const settings = readSettings(TracingSettings, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });
  stop = startTracing('gateway', settings, warner);
}

test('without a collector nothing is traced, and work runs as it is', async () => {
  stop = startTracing('gateway', readSettings(TracingSettings, {}), warner);
  expect(isTracing()).toBe(false);
  expect(startTrace({ name: 'request' }, TRACEPARENT)).toBeUndefined();
  expect(await runInSpan({ name: 'work' }, async () => currentTrace(), TRACEPARENT)).toBeUndefined();
});

test('a new span is a child of the current span, and a span that is over already is recorded with its own times', async () => {
  start({ OTEL_SERVICE_NAME: 'shop', OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret' });
  const request = startTrace({ name: 'GET', kind: 'server', attributes: { 'batuta.request.id': 'r1' } }, TRACEPARENT);
  if (!request) throw new Error('nothing is traced');
  await withRequestID('r1', () => withTrace(request.trace, () => runInSpan({ name: 'acceptance' }, async () => {})));
  // OpenTelemetry takes times smaller than the age of the process for times since its start.
  const at = Date.UTC(2026, 0);
  recordSpan({ name: 'queue wait', at }, { at: at + 2_500 }, request.trace.traceparent);
  request.end({ name: 'GET /v1/ping' });
  await stop();
  const [root, inner, wait] = ['GET /v1/ping', 'acceptance', 'queue wait'].map((name) =>
    collector.spans.find((span) => span.name === name),
  );
  expect(root).toMatchObject({ service: 'shop', traceId: TRACE_ID, parentSpanId: SPAN_ID });
  expect(inner).toMatchObject({ traceId: TRACE_ID, parentSpanId: root?.spanId });
  expect(wait).toMatchObject({ parentSpanId: root?.spanId, milliseconds: 2_500 });
  expect(collector.headers()['authorization']).toBe('Bearer secret');
});

test('a failed span says the code of its error and not the message, which may hold a secret', async () => {
  start();
  const refused = () => Promise.reject(new ApiError('INVALID_MATRIX', 'total: "hunter2" is not a number'));
  await expect(runInSpan({ name: 'acceptance' }, refused, TRACEPARENT)).rejects.toThrow('hunter2');
  await stop();
  expect(collector.spans).toMatchObject([{ failed: true, attributes: { 'error.type': 'INVALID_MATRIX' } }]);
  expect(collector.text()).not.toContain('hunter2');
});

test('the log says why the collector takes no spans, once a minute', async () => {
  collector.status = 401;
  start({ OTEL_BSP_SCHEDULE_DELAY: '50' });
  for (const name of ['first', 'second', 'third']) {
    const before = collector.requests();
    await runInSpan({ name }, async () => {}, TRACEPARENT);
    await waitUntil('the collector has refused the span', () => collector.requests() > before);
  }
  await stop();
  expect(warnings).toMatchObject([
    { msg: 'the collector takes no traces; their spans are lost', reason: 'Unauthorized' },
  ]);
});

test.each([
  ['nothing', undefined],
  ['another version', `01-${TRACE_ID}-${SPAN_ID}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN_ID}-01`],
  ['a span of zeros', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
  ['capital letters', TRACEPARENT.toUpperCase()],
  ['more than a traceparent', `${TRACEPARENT}-x`],
  ['a line break', `${TRACEPARENT}\n`],
  ['a list', [TRACEPARENT]],
  ['a long text', 'a'.repeat(100_000)],
])('a request with %s as its traceparent begins a trace of its own, and a message with it none', (_, sent) => {
  start();
  const span = startTrace({ name: 'GET' }, sent);
  expect(span?.trace.traceID).toMatch(/^[0-9a-f]{32}$/);
  expect(span?.trace.traceID).not.toBe(TRACE_ID);
  expect(startSpan({ name: 'execution.start' }, sent)).toBeUndefined();
});

test('a caller cannot force a trace that the sampler leaves out, and a message of an unsampled trace begins no span', () => {
  start({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
  expect(startTrace({ name: 'GET' }, TRACEPARENT)).toBeUndefined();
  expect(startSpan({ name: 'execution.start' }, TRACEPARENT.replace(/01$/, '00'))).toBeUndefined();
});

test('services of one process share the exporter, which ends with the last of them', async () => {
  start();
  const settings = readSettings(TracingSettings, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const other = startTracing('router', settings, warner);
  await other();
  expect(isTracing()).toBe(true);
  await stop();
  expect(isTracing()).toBe(false);
});

test('stopping does not wait for a collector that is away', async () => {
  start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
  startTrace({ name: 'GET' })?.end();
  await expect(stop()).resolves.toBeUndefined();
});

test('two traceparents are of one trace only when both are well-formed', () => {
  start();
  expect(isSameTrace(TRACEPARENT, `00-${TRACE_ID}-${'1'.repeat(16)}-01`)).toBe(true);
  expect(isSameTrace('x', 'x')).toBe(false);
});

test('a log line has the id of its trace', () => {
  start();
  const lines: unknown[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) });
  const span = startTrace({ name: 'GET' });
  if (!span) throw new Error('nothing is traced');
  withTrace(span.trace, () => {
    logger.info('inside');
    expect(traceToSend()).toEqual(span.trace);
  });
  logger.info('outside');
  expect(lines).toMatchObject([
    { traceId: span.trace.traceID },
    expect.not.objectContaining({ traceId: expect.anything() }),
  ]);
});
