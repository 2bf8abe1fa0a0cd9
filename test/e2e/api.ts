const TIMEOUT_MS = 30_000;

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
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One HTTP call as a third party would make it; refusals are answers like any other. */
export async function call(method: Method, url: string, options: CallOptions = {}): Promise<Answer> {
  const { body } = options;
  const response = await fetch(url, {
    method,
    headers: {
      ...(options.bearer === undefined ? {} : { authorization: `Bearer ${options.bearer}` }),
      ...(options.processKey === undefined ? {} : { 'x-process-key': options.processKey }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, body: parsed(await response.text()), headers: response.headers };
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
