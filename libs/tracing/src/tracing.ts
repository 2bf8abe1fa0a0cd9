import { withTimeout } from '@batuta/async';
import { currentTrace, withTrace, type Logger, type TraceContext } from '@batuta/logging';
import type * as openTelemetry from './open-telemetry';
import { samplesTrace } from './sampling';
import type { TraceSettings } from './settings';
import type { Span, SpanMaker, SpanStart } from './span';
import { readTraceparent } from './traceparent';

/** How long a service that stops waits for a collector that is away. */
const STOP_TIME_LIMIT_MS = 2_000;

interface Tracing {
  maker: SpanMaker;
  settings: TraceSettings;
  /** Number of services in this process that use the exporter. */
  services: number;
}

let tracing: Tracing | undefined;

export function isTracing(): boolean {
  return tracing !== undefined;
}

/**
 * Switches tracing on for this process if a collector is set, and loads OpenTelemetry only then. Services that share a process
 * share the exporter and the name of the first. Returns a function by which the service ends its use; that of the last service sends the
 * remaining spans, for at most two seconds, and switches tracing off. It never rejects. While the collector takes no spans, `logger` gets a warning
 * with the reason, at most once a minute.
 */
export function startTracing(service: string, settings: TraceSettings, logger: Logger): () => Promise<void> {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === '') return async () => {};
  if (!tracing) {
    const { createSpanMaker }: typeof openTelemetry = require('./open-telemetry');
    const onFailure = (reason: string) =>
      logger.warn({ reason }, 'the collector takes no traces; their spans are lost');
    tracing = { maker: createSpanMaker(service, settings, onFailure), settings, services: 0 };
  }
  tracing.services += 1;
  const mine = tracing;
  return async () => {
    mine.services -= 1;
    if (mine.services > 0) return;
    if (tracing === mine) tracing = undefined;
    const late = () => new Error('the collector did not take the last spans in time');
    await withTimeout(mine.maker.stop(), STOP_TIME_LIMIT_MS, late).catch(() => undefined);
  };
}

/**
 * Begins a trace where a request enters the installation or a schedule fires. `traceparent` = the value that the caller sent; if it is
 * well-formed, the caller's trace is continued. Undefined while tracing is off, or when this trace is not sampled.
 */
export function startTrace(start: SpanStart, traceparent?: unknown): Span | undefined {
  if (!tracing) return undefined;
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio } = tracing.settings;
  if (!samplesTrace(sampler, ratio)) return undefined;
  return tracing.maker.start(start, readTraceparent(traceparent));
}

/**
 * Begins a child span of the current span, or of `parent`. Undefined without a sampled parent, or while tracing is off.
 */
export function startSpan(start: SpanStart, parent: unknown = currentTrace()?.traceparent): Span | undefined {
  if (!tracing) return undefined;
  const remote = readTraceparent(parent);
  return remote?.sampled ? tracing.maker.start(start, remote) : undefined;
}

/** Records a span that is over already; times in epoch milliseconds. */
export function recordSpan(
  start: SpanStart & { at: number },
  end: { at: number; error?: string },
  parent: unknown,
): void {
  startSpan(start, parent)?.end({ ...end, at: Math.max(start.at, end.at) });
}

/** Runs `work` in a span of its own, which ends with it. */
export async function runInSpan<T>(start: SpanStart, work: () => Promise<T>, parent?: unknown): Promise<T> {
  const span = tracing && startSpan(start, parent);
  if (!span) return work();
  try {
    const result = await withTrace(span.trace, work);
    span.end();
    return result;
  } catch (error) {
    span.end({ error: errorType(error) });
    throw error;
  }
}

/** The current span, for a message to another service or for an exemplar; undefined without one, or while tracing is off. */
export function traceToSend(): TraceContext | undefined {
  return tracing && currentTrace();
}

/** Whether two traceparents name the same trace: an agent may send spans only into the trace of its instance. */
export function isSameTrace(one: unknown, other: unknown): boolean {
  const traceID = readTraceparent(one)?.traceID;
  return traceID !== undefined && traceID === readTraceparent(other)?.traceID;
}

/**
 * The value of `error.type`: the error's code if it is a word in capitals (ApiError, database, socket), else the name of its class. The
 * message is left out, because it may hold a secret.
 */
function errorType(error: unknown): string {
  const code: unknown = Reflect.get(Object(error), 'code');
  if (typeof code === 'string' && /^[A-Z_]{1,60}$/.test(code)) return code;
  return error instanceof Error ? error.name : typeof error;
}
