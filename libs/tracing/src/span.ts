import type { TraceContext } from '@batuta/logging';

/** The attributes of a span, such as ids, names and counts. Never a value of the Matrix or a part of a body, which may be a secret. */
export type Attributes = Record<string, string | number | boolean>;

export type SpanKind = 'internal' | 'server';

export interface SpanStart {
  name: string;
  kind?: SpanKind;
  attributes?: Attributes;
  /** Epoch milliseconds; now when left out. */
  at?: number;
}

export interface SpanEnd {
  name?: string;
  attributes?: Attributes;
  /** A code or the name of a class: messages may hold secrets. */
  error?: string;
  /** Epoch milliseconds; now when left out. */
  at?: number;
}

export interface Span {
  readonly trace: TraceContext;
  /** A second call has no effect. */
  end(end?: SpanEnd): void;
}

/** Makes and exports spans; exists only while tracing is switched on. */
export interface SpanMaker {
  start(start: SpanStart, parent?: { traceID: string; spanID: string }): Span;
  /** Sends what has not been sent yet. */
  stop(): Promise<void>;
}
