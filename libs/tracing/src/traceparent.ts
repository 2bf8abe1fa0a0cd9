import type { TraceContext } from '@batuta/logging';

/** Version 00 of W3C Trace Context, sampled or not. Its ids are not zero. */
const TRACEPARENT = /^00-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})$/;
const SAMPLED = 1;

export interface RemoteSpan {
  traceID: string;
  spanID: string;
  sampled: boolean;
}

/** Parses a traceparent; undefined for any other text, because callers may send anything. */
export function readTraceparent(text: unknown): RemoteSpan | undefined {
  const [, traceID, spanID, flags] = (typeof text === 'string' && TRACEPARENT.exec(text)) || [];
  if (traceID === undefined || spanID === undefined || flags === undefined) return undefined;
  return { traceID, spanID, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** The trace context of a sampled span; the context of a span that is not sampled is never sent. */
export function traceContext(traceID: string, spanID: string): TraceContext {
  return { traceID, traceparent: `00-${traceID}-${spanID}-01` };
}
