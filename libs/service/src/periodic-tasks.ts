import { LOGGER, withRequestID, type Logger } from '@batuta/observability';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';

const JITTER_SHARE = 0.2;

/**
 * The periodic tasks of a service, each a timeout in Nest's SchedulerRegistry under its own name. A task never overlaps
 * itself in this process: its next run is planned when the last one ends, with jitter so that replicas do not run in step.
 * A failed run is logged and the next one follows. Shutdown cancels what is planned and waits for the runs in progress.
 */
@Injectable()
export class PeriodicTasks implements BeforeApplicationShutdown {
  private readonly runs = new Map<string, Promise<void>>();
  private stopped = false;

  constructor(
    private readonly registry: SchedulerRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Runs `task` about `milliseconds` after now and again that long after each run has ended. Names are unique. */
  every(name: string, milliseconds: number, task: () => Promise<void>): void {
    if (this.registry.doesExist('timeout', name)) throw new Error(`There is a periodic task "${name}" already`);
    const plan = () => {
      if (this.stopped) return;
      const timer = setTimeout(run, milliseconds * (1 + JITTER_SHARE * (Math.random() - 0.5)));
      timer.unref();
      this.registry.addTimeout(name, timer);
    };
    const run = () => {
      this.registry.deleteTimeout(name);
      const ended = withRequestID(undefined, task)
        .catch((error: unknown) => this.logger.warn({ err: error, task: name }, 'periodic task failed; it runs again'))
        .finally(plan);
      this.runs.set(name, ended);
    };
    plan();
  }

  /** True from the moment shutdown begins: a task with many batches ends after the current one. */
  get stopping(): boolean {
    return this.stopped;
  }

  /** Calling it twice has no further effect. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const name of this.registry.getTimeouts()) this.registry.deleteTimeout(name);
    await Promise.all(this.runs.values());
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }
}
