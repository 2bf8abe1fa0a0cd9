import { ApiError } from '@batuta/errors';

const MAX_WAITING = 200;
const MAX_WAITING_OF_TENANT = 20;

interface WaitingTask {
  run: () => Promise<void>;
  refuse: (error: ApiError) => void;
}

/**
 * Runs tasks one after the other. Tenants take turns, whatever number of tasks each has, so that no tenant fills the queue: a
 * tenant beyond its share is refused with RATE_LIMITED, and in a full queue the tenant with the most tasks loses its newest
 * one, with UNAVAILABLE.
 */
export class HashQueue {
  /** The tasks of each tenant, oldest first; the tenants are in the order of their turns. */
  private readonly waiting = new Map<string, WaitingTask[]>();
  private waitingTasks = 0;
  private running = false;

  run<Result>(tenant: string, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const tasks = this.waiting.get(tenant) ?? [];
      if (tasks.length >= MAX_WAITING_OF_TENANT) {
        return reject(new ApiError('RATE_LIMITED', 'Too many passwords are being checked at once; try again.'));
      }
      if (this.waitingTasks >= MAX_WAITING) this.makeRoom(tasks);
      if (this.waitingTasks >= MAX_WAITING) return reject(fullQueue());
      tasks.push({ run: () => work().then(resolve, reject), refuse: reject });
      this.waiting.set(tenant, tasks);
      this.waitingTasks += 1;
      if (!this.running) void this.runAll();
    });
  }

  /** Refuses the newest task of the tenant with the most tasks, if these are more than `tasks`. */
  private makeRoom(tasks: readonly WaitingTask[]): void {
    let most: WaitingTask[] | undefined;
    for (const others of this.waiting.values()) if (others.length > (most?.length ?? tasks.length + 1)) most = others;
    const newest = most?.pop();
    if (!newest) return;
    this.waitingTasks -= 1;
    newest.refuse(fullQueue());
  }

  private async runAll(): Promise<void> {
    this.running = true;
    for (let task = this.takeNext(); task; task = this.takeNext()) await task.run();
    this.running = false;
  }

  private takeNext(): WaitingTask | undefined {
    for (const [tenant, tasks] of this.waiting) {
      const task = tasks.shift();
      this.waiting.delete(tenant);
      if (tasks.length > 0) this.waiting.set(tenant, tasks);
      if (!task) continue;
      this.waitingTasks -= 1;
      return task;
    }
    return undefined;
  }
}

function fullQueue(): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many logins at once; try again.');
}
