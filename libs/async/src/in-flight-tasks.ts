/** Tasks that the code which starts them does not await, but shutdown does. */
export class InFlightTasks {
  private readonly tasks = new Set<Promise<void>>();

  /** Adds a task that has begun; it must not reject. */
  add(task: Promise<void>): void {
    this.tasks.add(task);
    void task.finally(() => this.tasks.delete(task));
  }

  /** Resolves once every task that is in flight now has ended. */
  async drain(): Promise<void> {
    await Promise.all(this.tasks);
  }
}
