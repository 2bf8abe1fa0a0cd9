import { createServer, type IncomingMessage } from 'node:http';
import { listenOnFreePort } from './web-server';

/** A span as a collector gets it over OTLP/HTTP with JSON. */
export interface CollectedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** Empty for a root span. */
  parentSpanId: string;
  attributes: Record<string, unknown>;
  /** The duration, rounded down. */
  milliseconds: number;
  /** True when the status of the span is an error. */
  failed: boolean;
}

export interface TraceCollector {
  url: string;
  /** The HTTP status of the answers. */
  status: number;
  /** The number of requests so far. */
  requests: () => number;
  spans: CollectedSpan[];
  /** The bodies of all requests so far, one after the other, in which a test can look for secrets. */
  text: () => string;
  /** The headers of the last request. */
  headers: () => IncomingMessage['headers'];
  close(): Promise<void>;
}

/** Starts a collector of traces on a free port of the loopback; `spans` grows while they arrive. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  let text = '';
  let requests = 0;
  let headers: IncomingMessage['headers'] = {};
  const server = createServer((request, response) => {
    headers = request.headers;
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      text += body;
      requests += 1;
      spans.push(...spansOf(JSON.parse(body)));
      response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const port = await listenOnFreePort(server);
  const collector: TraceCollector = {
    url: `http://127.0.0.1:${port}`,
    status: 200,
    requests: () => requests,
    spans,
    text: () => text,
    headers: () => headers,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return collector;
}

interface ExportedTraces {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
}

interface OtlpAttribute {
  key: string;
  value: Record<string, unknown>;
}

interface OtlpSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttribute[];
  status: { code?: number };
}

const ERROR_STATUS = 2;

function spansOf({ resourceSpans }: ExportedTraces): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: String(attributeValuesOf(resource.attributes)['service.name']),
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        attributes: attributeValuesOf(span.attributes),
        milliseconds: Number((BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1_000_000n),
        failed: span.status.code === ERROR_STATUS,
      })),
    ),
  );
}

function attributeValuesOf(attributes: OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
