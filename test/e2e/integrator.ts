import { randomUUID } from 'node:crypto';
import type { Answer } from './api';
import type { Process } from './factories';
import { instanceOf } from './following';

const PATIENCE_MS = 40_000;
const PAUSE_MS = 100;

/**
 * A third party as it ought to be: each order has an Idempotency-Key, and is sent again with it until an answer says that
 * it was accepted.
 */
export class Integrator {
  /** What it was told: order → instance. */
  readonly accepted = new Map<string, string>();

  constructor(private readonly process: Process) {}

  /** Places so many new orders, some at a time, and returns when all are accepted. */
  async place(count: number, atOnce = 8): Promise<void> {
    let left = count;
    const worker = async () => {
      while (left-- > 0) await this.placeOne(randomUUID());
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  /** Places orders one after another, `atOnce` of them side by side, until `over`. */
  async placeUntil(over: () => boolean, { atOnce, pauseMs }: { atOnce: number; pauseMs: number }): Promise<void> {
    const worker = async () => {
      while (!over()) {
        await this.placeOne(randomUUID());
        await pause(pauseMs);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  /** Sends every order once more; returns what was answered in place of the first answer, replayed. */
  async repeatAll(): Promise<string[]> {
    const complaints: string[] = [];
    for (const [order, instanceID] of this.accepted) {
      const { status, body } = await this.send(order);
      const isReplay = typeof body === 'object' && body !== null && 'replayed' in body && body.replayed === true;
      if (isReplay && instanceOf({ status, body }) === instanceID) continue;
      complaints.push(`order ${order} was ${instanceID}, repeated it is ${status} ${JSON.stringify(body)}`);
    }
    return complaints;
  }

  private async placeOne(order: string): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.send(order).catch((error: unknown) => error);
      if (isAnswer(answer) && answer.status < 500) {
        this.accepted.set(order, instanceOf(answer));
        return;
      }
      if (Date.now() > deadline) throw new Error(`order ${order} was never accepted`, { cause: answer });
      await pause(PAUSE_MS);
    }
  }

  private send(order: string): Promise<Answer> {
    return this.process.start({ matrix: { order } }, { 'idempotency-key': order });
  }
}

function isAnswer(answer: unknown): answer is Answer {
  return typeof answer === 'object' && answer !== null && 'status' in answer;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
