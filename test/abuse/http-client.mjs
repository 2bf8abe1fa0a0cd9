import { Agent, request as httpRequest } from 'node:http';

const DEFAULT_TIME_LIMIT_MS = 60_000;

/**
 * A plain HTTP client whose `send` never throws: a call without an answer resolves to the status 0 with the reason as text. `from` is the local
 * address, so that the two tenants do not share limits of an address.
 */
export class HttpClient {
  #agent;
  #from;
  /** When the last request over each socket ended. */
  #lastUse = new WeakMap();

  constructor({ from, sockets = 64 }) {
    this.#from = from;
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets });
  }

  /** Resolves to `{status, text, milliseconds, headers}`; `body` is an object, a text or bytes. */
  send(method, url, { bearer, headers = {}, body, timeLimitMs = DEFAULT_TIME_LIMIT_MS, signal } = {}) {
    const bytes = body === undefined || Buffer.isBuffer(body) ? body : toBytes(body);
    const began = performance.now();
    return new Promise((resolve) => {
      const end = (answer) => resolve({ text: '', headers: {}, ...answer, milliseconds: performance.now() - began });
      const fail = (error) =>
        end({
          status: 0,
          text: `${error.code ?? error.message}${idle === undefined ? '' : ` on a connection that was idle for ${Math.round(idle / 1_000)} s`}`,
        });
      const request = httpRequest(url, {
        method,
        agent: this.#agent,
        localAddress: this.#from,
        signal: AbortSignal.any([AbortSignal.timeout(timeLimitMs), ...(signal ? [signal] : [])]),
        headers: {
          ...(bearer ? { Authorization: `Bearer ${bearer}` } : {}),
          ...(bytes ? { 'Content-Type': 'application/json', 'Content-Length': bytes.length } : {}),
          ...headers,
        },
      });
      let idle;
      request.on('socket', (socket) => {
        if (request.reusedSocket) idle = performance.now() - this.#lastUse.get(socket);
      });
      request.on('close', () => request.socket && this.#lastUse.set(request.socket, performance.now()));
      request.on('error', fail);
      request.on('response', (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () =>
          end({ status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() }),
        );
      });
      request.end(bytes);
    });
  }

  /** The parsed body of a call that must succeed, undefined when it is empty; throws with the answer of any other call. */
  async expect(method, url, options) {
    const { status, text } = await this.send(method, url, options);
    if (status < 200 || status > 299) throw new Error(`${method} ${url}: ${status} ${text.slice(0, 500)}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  close() {
    this.#agent.destroy();
  }
}

/** `200`, `429 RATE_LIMITED`, or `no answer (ECONNRESET)`. */
export function answerName({ status, text }) {
  if (status === 0) return `no answer (${text})`;
  if (status < 400) return String(status);
  try {
    return `${status} ${JSON.parse(text).error.code}`;
  } catch {
    return `${status} without a code`;
  }
}

function toBytes(body) {
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
