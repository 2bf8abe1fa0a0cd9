import { randomUUID } from 'node:crypto';
import type { HttpAnswer } from '../tenants/api';
import type { Process } from '../tenants/factories';
import { instanceOf } from '../tenants/instances';

/** Longer than any fault of the tests lasts. */
const ANSWER_TIME_LIMIT_MS = 120_000;
const RETRY_DELAY_MS = 250;

/**
 * A third party that follows the documentation: each order has an Idempotency-Key, and its start is repeated with this key until it is
 * accepted.
 */
export class Integrator {
  /** Accepted starts: order, which is also the idempotency key → instance id. */
  readonly accepted = new Map<string, string>();
  /** Instances for which the integrator requested a stop. */
  readonly stopped = new Set<string>();

  constructor(private readonly process: Process) {}

  /** Places `count` new orders, `concurrency` at a time; resolves when all are accepted. */
  async place(count: number, concurrency = 8): Promise<void> {
    let left = count;
    const worker = async () => {
      while (left-- > 0) await this.placeOne(randomUUID());
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
  }

  /** Places orders, `concurrency` at a time, until `over()` is true, and requests a stop of every `stopEvery`th instance. */
  async placeUntil(
    over: () => boolean,
    { concurrency, pauseMs, stopEvery }: { concurrency: number; pauseMs: number; stopEvery?: number },
  ): Promise<void> {
    let placed = 0;
    const worker = async () => {
      while (!over()) {
        const instanceID = await this.placeOne(randomUUID());
        placed += 1;
        if (stopEvery !== undefined && placed % stopEvery === 0) await this.stop(instanceID);
        await pause(pauseMs);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
  }

  /** Repeats every order; returns a violation for each answer that is not the replayed first answer. */
  async repeatAll(): Promise<string[]> {
    const violations: string[] = [];
    for (const [order, instanceID] of this.accepted) {
      const { status, body } = await untilAnswered(() => this.send(order), `repeated order ${order}`);
      const isReplay = typeof body === 'object' && body !== null && 'replayed' in body && body.replayed === true;
      if (isReplay && instanceOf({ status, body }) === instanceID) continue;
      violations.push(`order ${order} was ${instanceID}, repeated it is ${status} ${JSON.stringify(body)}`);
    }
    return violations;
  }

  private async placeOne(order: string): Promise<string> {
    const instanceID = instanceOf(await untilAnswered(() => this.send(order), `order ${order}`));
    this.accepted.set(order, instanceID);
    return instanceID;
  }

  private async stop(instanceID: string): Promise<void> {
    this.stopped.add(instanceID);
    await untilAnswered(() => this.process.owner.api('POST', `/instances/${instanceID}/stop`), `stop of ${instanceID}`);
  }

  private send(order: string): Promise<HttpAnswer> {
    return this.process.start({ matrix: { order } }, { 'idempotency-key': order });
  }
}

/** Repeats the call until it is neither cut off nor answered with a 5xx; returns that answer, which may be a refusal. */
async function untilAnswered(ask: () => Promise<HttpAnswer>, what: string): Promise<HttpAnswer> {
  const deadline = Date.now() + ANSWER_TIME_LIMIT_MS;
  for (;;) {
    const answer = await ask().catch((error: unknown) => ({ error }));
    if ('status' in answer && answer.status < 500) return answer;
    if (Date.now() > deadline) throw new Error(`The ${what} was never answered`, { cause: answer });
    await pause(RETRY_DELAY_MS);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
