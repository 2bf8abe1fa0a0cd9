/** Time limit of a call: longer than any service may take, with reserve for a busy machine. */
export const CALL_TIME_LIMIT_MS = 90_000;
/** Minimum time until a time limit between services ends. An UNAVAILABLE or ROUTER_ERROR after it may come from a busy machine, so a test may repeat the request. */
export const MIN_SERVICE_TIME_LIMIT_MS = 2_500;
const MAX_TRIES = 3;

export interface HttpAnswer {
  status: number;
  /** Parsed JSON; the text when it is not JSON, undefined when it is empty. */
  body: unknown;
  headers: Headers;
}

export interface CallOptions {
  /** Account credential or console token. */
  bearer?: string;
  processKey?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. A string is sent unchanged, for bodies that are not JSON. */
  body?: unknown;
  /** Sends the call only once, and returns even a 503 that a time limit caused. */
  once?: boolean;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One HTTP call as a third party would make it. A refusal is returned, not thrown. */
export async function call(method: Method, url: string, options: CallOptions = {}): Promise<HttpAnswer> {
  const { body, once } = options;
  const request = new Request(url, {
    method,
    headers: {
      ...(options.bearer === undefined ? {} : { authorization: `Bearer ${options.bearer}` }),
      ...(options.processKey === undefined ? {} : { 'x-process-key': options.processKey }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      // Each call has a connection of its own, because the server could close an idle one at the moment of its reuse.
      connection: 'close',
      ...options.headers,
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(CALL_TIME_LIMIT_MS),
  });
  const response = await (once ? fetch(request) : fetchWithRetry(request));
  return { status: response.status, body: parseBody(await response.text()), headers: response.headers };
}

/**
 * Sends a request. Repeats it only after a 503 that took as long as a time limit between services, as on a busy machine, and only if its method
 * may be repeated. A 503 that comes at once is returned.
 */
export async function fetchWithRetry(request: Request): Promise<Response> {
  const isSafe = ['GET', 'PUT', 'PATCH'].includes(request.method);
  for (let tries = 1; ; tries += 1) {
    const began = performance.now();
    const response = await fetch(request.clone());
    const late = response.status === 503 && performance.now() - began >= MIN_SERVICE_TIME_LIMIT_MS;
    if (!late || !isSafe || tries === MAX_TRIES) return response;
    await response.body?.cancel();
  }
}

/** The body of an answer that must be a success; throws with the status and body of any other answer. */
export async function expectSuccess(method: Method, url: string, options: CallOptions = {}): Promise<unknown> {
  const { status, body } = await call(method, url, options);
  if (status < 200 || status > 299) throw new Error(`${method} ${url}: ${status} ${JSON.stringify(body)}`);
  return body;
}

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
