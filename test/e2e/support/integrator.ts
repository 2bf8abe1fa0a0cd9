import { randomUUID } from 'node:crypto';
import type { Answer } from './api';
import type { Process } from './factories';
import { instanceOf } from './instances';

const PATIENCE_MS = 120_000;
const PAUSE_MS = 100;

/**
 * A third party as it ought to be: each order has an Idempotency-Key, and is sent again with it until an answer says that
 * it was accepted.
 */
export class Integrator {
  /** What it was told: order → instance. */
  readonly accepted = new Map<string, string>();
  /** Instances that it wanted stopped. */
  readonly stopped = new Set<string>();

  constructor(private readonly process: Process) {}

  /** Places so many new orders, some at a time, and returns when all are accepted. */
  async place(count: number, atOnce = 8): Promise<void> {
    let left = count;
    const worker = async () => {
      while (left-- > 0) await this.placeOne(randomUUID());
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  /**
   * Places orders one after another, `atOnce` of them side by side, until `over`; thinks better of every `stopEvery`th.
   */
  async placeUntil(
    over: () => boolean,
    { atOnce, pauseMs, stopEvery }: { atOnce: number; pauseMs: number; stopEvery?: number },
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
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  /** Sends every order once more; returns what was answered in place of the first answer, replayed. */
  async repeatAll(): Promise<string[]> {
    const complaints: string[] = [];
    for (const [order, instanceID] of this.accepted) {
      const { status, body } = await untilTaken(() => this.send(order), `repeated order ${order}`);
      const isReplay = typeof body === 'object' && body !== null && 'replayed' in body && body.replayed === true;
      if (isReplay && instanceOf({ status, body }) === instanceID) continue;
      complaints.push(`order ${order} was ${instanceID}, repeated it is ${status} ${JSON.stringify(body)}`);
    }
    return complaints;
  }

  private async placeOne(order: string): Promise<string> {
    const instanceID = instanceOf(await untilTaken(() => this.send(order), `order ${order}`));
    this.accepted.set(order, instanceID);
    return instanceID;
  }

  private async stop(instanceID: string): Promise<void> {
    this.stopped.add(instanceID);
    await untilTaken(() => this.process.owner.api('POST', `/instances/${instanceID}/stop`), `stop of ${instanceID}`);
  }

  private send(order: string): Promise<Answer> {
    return this.process.start({ matrix: { order } }, { 'idempotency-key': order });
  }
}

/** Asks until the answer is neither a broken connection nor a fault of the service. */
async function untilTaken(ask: () => Promise<Answer>, what: string): Promise<Answer> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask().catch((error: unknown) => ({ error }));
    if ('status' in answer && answer.status < 500) return answer;
    if (Date.now() > deadline) throw new Error(`The ${what} was never taken`, { cause: answer });
    await pause(PAUSE_MS);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
