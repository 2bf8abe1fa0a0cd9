import { readSettings, TracingSettings } from '@batuta/config';
import type { InstanceWork } from '@batuta/contracts';
import { createLogger } from '@batuta/observability';
import { startTracing } from '@batuta/tracing';
import { startTraceCollector, type TraceCollector } from '../../../../test/support/trace-collector';
import { waitUntilTrue } from '../../test/until';
import { AgentMemory } from './agent-memory';
import { AgentSession } from './agent-session';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const HELLO = { type: 'hello', protocol: 1, agent: 'a', runtimeVersion: '1', capacity: 5 } as const;
const ENVIRONMENT = { environmentID: 'e', companyID: 'c', capacity: 5, keyHash: Buffer.alloc(32) };

let collector: TraceCollector;
let stopTracing: () => Promise<void>;
beforeEach(async () => {
  collector = await startTraceCollector();
  const settings = readSettings(TracingSettings, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  stopTracing = startTracing('router', settings, createLogger('router', 'silent'));
});
afterEach(async () => {
  await stopTracing();
  await collector.close();
});

test('the span of an offer ends as replaced when a later claim brings the instance again, and that of a granted instance stays as it ended', async () => {
  // The session sends nothing in this test, so it needs no socket.
  const session = new AgentSession(Object({}), HELLO, ENVIRONMENT, new AgentMemory());
  session.trackOffered(workOf('offered', 1));
  session.trackOffered(workOf('offered', 2));
  const granted = session.trackOffered(workOf('granted', 1));
  session.transition(granted, 'accepted');
  session.transition(granted, 'granted');
  session.trackOffered(workOf('granted', 2));
  await stopTracing();
  await waitUntilTrue(() => collector.spans.length >= 2, 'the collector has the spans that ended');
  const ended = collector.spans.map(({ attributes }) => [attributes['batuta.instance.id'], attributes['error.type']]);
  expect(ended).toHaveLength(2);
  expect(ended).toContainEqual(['granted', undefined]);
  expect(ended).toContainEqual(['offered', 'replaced']);
});

function workOf(instanceID: string, fence: number): InstanceWork {
  const of = { processID: 'p', processName: 'P', version: '1', userName: 'ana', requestID: 'r' };
  return { ...of, instanceID, fence, traceparent: TRACEPARENT, flow: {}, matrix: [], vault: {} };
}
