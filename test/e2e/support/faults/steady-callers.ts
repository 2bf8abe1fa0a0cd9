import { Agent, request, type IncomingMessage } from 'node:http';
import { until } from '../until';

const CALL_TIME_LIMIT_MS = 60_000;

export interface CallerAnswer {
  status: number;
  /** JSON is parsed; any other body, such as an event stream, is its text. */
  body: unknown;
}

/** Sends one call over the caller's own connection, which is kept alive. Rejects when the answer is missing or incomplete. */
export type Send = (
  method: string,
  url: string,
  options?: { headers?: Record<string, string>; body?: unknown },
) => Promise<CallerAnswer>;

/**
 * Callers that make one call after another, each over one kept-alive connection, and repeat nothing: `failures` has every call
 * that was refused, cut off or not answered.
 */
export class SteadyCallers {
  readonly failures: string[] = [];
  private readonly counts = new Map<string, number>();
  private readonly connections: Agent[] = [];
  private readonly loops: Promise<void>[] = [];
  private over = false;

  /** Adds a caller, which calls until `stop` with a pause of `pauseMs` after each call. `makeCall` rejects when an answer is not the expected one. */
  add(kind: string, pauseMs: number, makeCall: (send: Send) => Promise<void>): void {
    const connection = new Agent({ keepAlive: true, maxSockets: 1 });
    this.connections.push(connection);
    this.counts.set(kind, this.count(kind));
    this.loops.push(this.callUntilOver({ kind, pauseMs }, () => makeCall(sendOver(connection))));
  }

  /** Resolves when each kind of call has succeeded once more, or one has failed. */
  async untilAllCalledAgain(): Promise<void> {
    const before = new Map(this.counts);
    await until(
      () => Promise.resolve([...before].filter(([kind, count]) => this.count(kind) <= count).map(([kind]) => kind)),
      (missing) => missing.length === 0 || this.failures.length > 0,
    );
  }

  /** Awaits the calls in progress; returns the number of calls that succeeded, by kind. */
  async stop(): Promise<Record<string, number>> {
    this.over = true;
    await Promise.all(this.loops);
    for (const connection of this.connections) connection.destroy();
    return Object.fromEntries(this.counts);
  }

  private count(kind: string): number {
    return this.counts.get(kind) ?? 0;
  }

  private async callUntilOver(
    { kind, pauseMs }: { kind: string; pauseMs: number },
    makeCall: () => Promise<void>,
  ): Promise<void> {
    while (!this.over) {
      await makeCall().then(
        () => this.counts.set(kind, this.count(kind) + 1),
        (error: unknown) => this.failures.push(`${kind} at ${new Date().toISOString()}: ${String(error)}`),
      );
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

function sendOver(agent: Agent): Send {
  return (method, url, { headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(CALL_TIME_LIMIT_MS);
      const typed = body === undefined ? headers : { 'content-type': 'application/json', ...headers };
      const call = request(url, { method, agent, headers: typed, signal }, (answer) => {
        readAnswer(answer).then(resolve, reject);
      });
      call.on('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

/** Reads the whole answer; throws when the connection ends before the answer does. */
async function readAnswer(answer: IncomingMessage): Promise<CallerAnswer> {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(Buffer.from(part));
  if (!answer.complete) throw new Error('the answer is incomplete');
  const text = Buffer.concat(parts).toString();
  const isJson = answer.headers['content-type']?.includes('json') === true;
  return { status: answer.statusCode ?? 0, body: isJson ? JSON.parse(text) : text };
}
