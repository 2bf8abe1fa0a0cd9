import { setTimeout as sleep } from 'node:timers/promises';

const REST_TO_TASK_RATIO = 3;

/**
 * Runs the tasks of each tenant one after the other. After a task the tenant rests for three times as long as the task took, so that its
 * tasks keep other services busy for a quarter of the time at most.
 */
export class SerialTasksByTenant {
  /** Resolves when the latest task of the tenant, and the rest after it, are over. */
  private readonly latestTasks = new Map<string, Promise<unknown>>();

  constructor(
    private readonly rest: (milliseconds: number) => Promise<unknown> = (milliseconds) =>
      sleep(milliseconds, undefined, { ref: false }),
  ) {}

  /** Resolves or rejects as the task does, before the rest. */
  run<Result>(tenant: string, task: () => Promise<Result>): Promise<Result> {
    const previous = this.latestTasks.get(tenant) ?? Promise.resolve();
    let began = 0;
    const result = previous.then(() => {
      began = performance.now();
      return task();
    });
    const restAfterTask = () => this.rest(REST_TO_TASK_RATIO * (performance.now() - began));
    const taskAndRest = result.then(restAfterTask, restAfterTask);
    void taskAndRest.finally(() => {
      if (this.latestTasks.get(tenant) === taskAndRest) this.latestTasks.delete(tenant);
    });
    this.latestTasks.set(tenant, taskAndRest);
    return result;
  }
}
