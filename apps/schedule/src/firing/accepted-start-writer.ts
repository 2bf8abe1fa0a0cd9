import { atEndOfTurn } from '@batuta/async';
import { Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';
import { saveAccepted, type LeasedFiring } from './firing.repository';

/** Maximum number of firings that one statement updates. */
const MAX_SAVED_TOGETHER = 500;

type AcceptedFiring = Pick<LeasedFiring, 'instance_id' | 'attempts'> & { result: 'fired' | 'late' };

interface WaitingResult {
  firing: AcceptedFiring;
  resolve: (saved: boolean) => void;
  reject: (error: unknown) => void;
}

/**
 * Writes the results of accepted starts. Results of one turn of the event loop, such as those of one batch of execution, share a write, and results
 * that arrive during a write share the next one, so that thousands of schedules that are due in the same second do not need a commit each.
 */
@Injectable()
export class AcceptedStartWriter {
  private readonly waiting: WaitingResult[] = [];
  private writing = false;

  constructor(private readonly store: Store) {}

  /** Writes the result of a firing; false when a later attempt has begun, or the schedule was removed. */
  save(firing: AcceptedFiring): Promise<boolean> {
    const written = new Promise<boolean>((resolve, reject) => this.waiting.push({ firing, resolve, reject }));
    if (!this.writing) atEndOfTurn(() => void this.writeAll());
    this.writing = true;
    return written;
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) await this.writeTogether(this.waiting.splice(0, MAX_SAVED_TOGETHER));
    this.writing = false;
  }

  private async writeTogether(group: WaitingResult[]): Promise<void> {
    try {
      const saved = await this.write(group.map(({ firing }) => firing));
      for (const { firing, resolve } of group) resolve(saved.has(firing.instance_id));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  /** One statement for each pair of result and number of attempts; usually there is one pair. */
  private async write(firings: AcceptedFiring[]): Promise<Set<string>> {
    const pairs = new Map(firings.map((firing) => [`${firing.result} ${firing.attempts}`, firing]));
    const saved: string[] = [];
    for (const { result, attempts } of pairs.values()) {
      const together = firings.filter((one) => one.result === result && one.attempts === attempts);
      const ids = together.map((one) => one.instance_id);
      saved.push(...(await saveAccepted(this.store, ids, { result, attempts })));
    }
    return new Set(saved);
  }
}
