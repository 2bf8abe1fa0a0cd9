import { LogThrottle } from '@batuta/logging';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import { readExporterHeaders } from './exporter-headers';
import type { TraceSettings } from './settings';
import type { Attributes, Span, SpanMaker } from './span';
import { traceContext } from './traceparent';

/** Maximum number of spans that wait for the collector; further spans are dropped. */
const MAX_WAITING_SPANS = 4_096;
const MAX_ATTRIBUTE_LENGTH = 256;
const KIND_OF_SPAN = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER };

/**
 * Only `startTracing` imports this file, and only when tracing is switched on: its packages cost 20 MB of memory. `onFailure` gets the reason why the
 * collector takes no spans, at most once a minute.
 */
export function createSpanMaker(
  service: string,
  settings: TraceSettings,
  onFailure: (reason: string) => void,
): SpanMaker {
  const exporter = new OTLPTraceExporter({
    url: new URL('v1/traces', `${settings.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/`).href,
    headers: readExporterHeaders(settings.OTEL_EXPORTER_OTLP_HEADERS),
  });
  const name = settings.OTEL_SERVICE_NAME || `batuta-${service}`;
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': name })),
    // Every span that arrives here is exported: `samplesTrace` has decided already.
    sampler: new AlwaysOnSampler(),
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: withFailures(exporter, onFailure),
        maxQueueSize: MAX_WAITING_SPANS,
        scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY,
      }),
    ],
  });
  const tracer = provider.getTracer('batuta');
  return {
    start({ name: spanName, kind = 'internal', attributes, at }, parent) {
      const remote = parent && { traceId: parent.traceID, spanId: parent.spanID, traceFlags: TraceFlags.SAMPLED };
      const context = remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
      return toSpan(tracer.startSpan(spanName, { kind: KIND_OF_SPAN[kind], attributes, startTime: at }, context));
    },
    stop: () => provider.shutdown(),
  };
}

/** The exporter, with reports of the failures that it keeps to itself. */
function withFailures(exporter: SpanExporter, onFailure: (reason: string) => void): SpanExporter {
  const throttle = new LogThrottle();
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error && throttle.add() !== undefined) onFailure(reasonOf(result.error));
        done(result);
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** An AggregateError, which joins the failed attempts at several addresses, has a code and no message. */
function reasonOf(error: Error): string {
  return error.message || ('code' in error ? String(error.code) : error.name);
}

function toSpan(span: ReturnType<ReturnType<TracerProvider['getTracer']>['startSpan']>): Span {
  const { traceId, spanId } = span.spanContext();
  return {
    trace: traceContext(traceId, spanId),
    end({ name, attributes, error, at } = {}) {
      if (!span.isRecording()) return;
      if (name !== undefined) span.updateName(name);
      if (attributes) span.setAttributes(withoutEmpty(attributes));
      if (error !== undefined) {
        span.setAttribute('error.type', error);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end(at);
    },
  };
}

function withoutEmpty(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== ''));
}
