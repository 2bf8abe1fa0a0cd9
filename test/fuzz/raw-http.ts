import { connect } from 'node:net';
import { MIN_SERVICE_TIME_LIMIT_MS } from '../e2e/support/tenants/api';

/** Time limit of an answer: longer than any service may take. */
const ANSWER_TIME_LIMIT_MS = 60_000;
const MAX_TRIES = 3;

export interface RawRequest {
  method: string;
  /** Path and query as sent, one byte per character. */
  target: string;
  headers: [name: string, value: string][];
  /** The body, sent with a Content-Length unless the headers have one or a Transfer-Encoding. */
  body?: Buffer;
}

export interface RawAnswer {
  /** 0 when the answer is no HTTP. */
  status: number;
  /** By name in lower case; of a repeated header the last one. */
  headers: Record<string, string>;
  /** Empty for an event stream, of which only the headers are read. */
  body: string;
}

/**
 * Sends a request that may be repeated. Repeats it after a 502 or 503 that took as long as a time limit between services, because a busy
 * machine may be the cause. Returns such an answer when it comes at once or at the third try. Throws when no whole answer arrives within a minute.
 */
export async function sendWithRetry(url: string, request: RawRequest): Promise<RawAnswer> {
  for (let tries = 1; ; tries += 1) {
    const began = performance.now();
    const answer = await sendRaw(url, request, ANSWER_TIME_LIMIT_MS);
    const late = [502, 503].includes(answer.status) && performance.now() - began >= MIN_SERVICE_TIME_LIMIT_MS;
    if (!late || tries === MAX_TRIES) return answer;
  }
}

/** Sends exactly these bytes, valid HTTP or not. Throws when no whole answer arrives within the time limit. */
function sendRaw(url: string, request: RawRequest, milliseconds: number): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    const end = (finish: () => void) => {
      clearTimeout(timer);
      socket.destroy();
      finish();
    };
    const conclude = (closed: boolean) => {
      const answer = readAnswer(received, closed);
      if (answer) end(() => resolve(answer));
      else if (closed) end(() => reject(new Error(`the connection ended after ${received.length} bytes`)));
    };
    const timer = setTimeout(
      () => end(() => reject(new Error(`no whole answer within ${milliseconds} ms`))),
      milliseconds,
    );
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      conclude(false);
    });
    // The server may refuse and close before it has read the body.
    socket.on('error', () => conclude(true));
    socket.on('close', () => conclude(true));
    socket.write(requestBytesOf(request, `${hostname}:${port}`));
  });
}

function requestBytesOf({ method, target, headers, body }: RawRequest, host: string): Buffer {
  const named = new Set(headers.map(([name]) => name.toLowerCase()));
  const framed = named.has('content-length') || named.has('transfer-encoding');
  const all = [
    ...(named.has('host') ? [] : [['Host', host]]),
    ...headers,
    ...(body === undefined || framed ? [] : [['Content-Length', String(body.length)]]),
    ...(named.has('connection') ? [] : [['Connection', 'close']]),
  ];
  const head = `${method} ${target} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]);
}

/** The answer, after any interim 100, when it is complete, else undefined. An event stream is complete after its headers. */
function readAnswer(bytes: Buffer, closed: boolean): RawAnswer | undefined {
  const split = bytes.indexOf('\r\n\r\n');
  if (split < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, split).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0);
  const rest = bytes.subarray(split + 4);
  if (status === 100) return readAnswer(rest, closed);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  if (headers['content-type']?.startsWith('text/event-stream')) return { status, headers, body: '' };
  const length = Number(headers['content-length'] ?? Infinity);
  // Ignores a second answer, which the server gives to bytes after the request.
  return closed || rest.length >= length
    ? { status, headers, body: rest.subarray(0, length).toString('utf8') }
    : undefined;
}
