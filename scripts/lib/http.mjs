const CALL_TIME_LIMIT_MS = 15_000;

/** An answer of a service with a status other than 200 to 299, with the code of its envelope if it has one. */
export class RefusedRequest extends Error {
  constructor(what, status, { code, message } = {}) {
    super(`${what}: ${status} ${code ?? ''} ${message ?? ''}`.trim());
    this.status = status;
    this.code = code;
  }
}

/**
 * Returns a function for calls with this base URL and these headers: `call('POST', '/plans', body)` resolves to the JSON of the answer, and
 * rejects with RefusedRequest, or with another error when no answer comes within CALL_TIME_LIMIT_MS.
 */
export function createClient(base, headers = {}) {
  return async function call(method, path, body) {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_TIME_LIMIT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new RefusedRequest(`${method} ${path}`, response.status, parseEnvelope(text));
    return text === '' ? undefined : JSON.parse(text);
  };
}

function parseEnvelope(text) {
  try {
    return JSON.parse(text).error;
  } catch {
    return undefined;
  }
}
