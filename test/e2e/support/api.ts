/** Longer than any service may take, also when the machine stands still meanwhile. */
export const TIMEOUT_MS = 90_000;
/** The least of the time limits within the services (that of a connection to the database). */
export const LEAST_LIMIT_MS = 2_500;
const TRIES = 3;

export interface Answer {
  status: number;
  /** Parsed JSON; the bare text when it is none, undefined when it is empty. */
  body: unknown;
  headers: Headers;
}

export interface CallOptions {
  /** Account credential or console token. */
  bearer?: string;
  processKey?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. A string goes out as it is, for bodies that are no JSON. */
  body?: unknown;
  /** The first answer counts, also a 503 for want of time. */
  once?: boolean;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One HTTP call as a third party would make it; refusals are answers like any other. */
export async function call(method: Method, url: string, options: CallOptions = {}): Promise<Answer> {
  const { body, once } = options;
  const request = new Request(url, {
    method,
    headers: {
      ...(options.bearer === undefined ? {} : { authorization: `Bearer ${options.bearer}` }),
      ...(options.processKey === undefined ? {} : { 'x-process-key': options.processKey }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      // A connection that has been idle may end in the moment in which it is used again.
      connection: 'close',
      ...options.headers,
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const response = await (once ? fetch(request) : patiently(request));
  return { status: response.status, body: parsed(await response.text()), headers: response.headers };
}

/**
 * Only a 503 that took as long as services wait for each other, as on a machine that stood still, is asked for again, and
 * only where that changes nothing. One that comes at once is an answer like any other.
 */
export async function patiently(request: Request): Promise<Response> {
  const isSafe = ['GET', 'PUT', 'PATCH'].includes(request.method);
  for (let tries = 1; ; tries += 1) {
    const began = performance.now();
    const response = await fetch(request.clone());
    const late = response.status === 503 && performance.now() - began >= LEAST_LIMIT_MS;
    if (!late || !isSafe || tries === TRIES) return response;
    await response.body?.cancel();
  }
}

/** The body of an answer that has to be a success; throws with what came instead. */
export async function expectSuccess(method: Method, url: string, options: CallOptions = {}): Promise<unknown> {
  const { status, body } = await call(method, url, options);
  if (status < 200 || status > 299) throw new Error(`${method} ${url}: ${status} ${JSON.stringify(body)}`);
  return body;
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
