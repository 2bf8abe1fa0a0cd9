import { FairQueue } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { setTimeout as sleep } from 'node:timers/promises';

const MAX_WAITING = 200;
const MAX_WAITING_OF_TENANT = 20;
/** The rest after a task is this many times as long as the task. */
const REST_TO_TASK_RATIO = 3;

interface WaitingTask {
  run: () => Promise<void>;
  refuse: (error: ApiError) => void;
}

/**
 * Runs tasks one after the other. While further tasks wait, it rests after each task for three times as long as the task took, so that a queue
 * of passwords takes at most a quarter of a processor. Tenants take turns, whatever number of tasks each has, so that no tenant fills the queue.
 * A further task of a tenant with too many waiting ones is refused with RATE_LIMITED. A full queue refuses one task with UNAVAILABLE: the newest
 * task of the tenant with the most tasks, if that tenant has more than the tenant of the new task would have with it; otherwise the new task.
 */
export class HashQueue {
  private readonly waiting = new FairQueue<WaitingTask>();
  private running = false;

  constructor(
    private readonly rest: (milliseconds: number) => Promise<unknown> = (milliseconds) =>
      sleep(milliseconds, undefined, { ref: false }),
  ) {}

  /** Resolves or rejects as `work` does, once its turn has come; rejects with RATE_LIMITED or UNAVAILABLE when the queue refuses it. */
  run<Result>(tenant: string, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const tasks = this.waiting.sizeOf(tenant);
      if (tasks >= MAX_WAITING_OF_TENANT) {
        return reject(new ApiError('RATE_LIMITED', 'Too many passwords are being checked at once; try again.'));
      }
      if (this.waiting.size >= MAX_WAITING) this.waiting.removeFromLongest(tasks + 1)?.refuse(fullQueue());
      if (this.waiting.size >= MAX_WAITING) return reject(fullQueue());
      this.waiting.add(tenant, { run: () => work().then(resolve, reject), refuse: reject });
      if (!this.running) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.running = true;
    for (let task = this.waiting.next(); task; task = this.waiting.next()) {
      const began = performance.now();
      await task.run();
      if (this.waiting.size > 0) await this.rest(REST_TO_TASK_RATIO * (performance.now() - began));
    }
    this.running = false;
  }
}

function fullQueue(): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many logins at once; try again.');
}
