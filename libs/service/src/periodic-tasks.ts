import { LOGGER, withRequestID, type Logger } from '@batuta/observability';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { isNativeError } from 'node:util/types';

/** Pauses vary at random over this fraction of the interval: from 90 to 110 percent of it. */
const JITTER_FRACTION = 0.2;
/** Time after a logged failure within which further failures of the same task with the same error are only counted. */
const FAILURE_LOG_INTERVAL_MS = 60_000;

interface PeriodicTaskOptions {
  /**
   * Whether the task continues while the service drains, until its owner stops it; for work on which the requests in flight depend.
   */
  whileDraining?: boolean;
}

/** A task that runs again and again; its owner may stop it or bring its next run forward. */
export interface PeriodicTask {
  /** Plans no further run. Resolves when the run in progress has ended, so a run must not await its own task's `stop`. */
  stop(): Promise<void>;
  /** Begins the next run within `milliseconds`; while a run is in progress, within `milliseconds` after its end. */
  runWithin(milliseconds: number): void;
}

/**
 * The periodic tasks of a service, each a timeout in Nest's SchedulerRegistry under its own name. A task never overlaps
 * itself in this process: its next run is planned when the last one ends, with jitter so that replicas do not run in step.
 * A failed run is logged, of each task at most one a minute with the same error, and the next run follows. Shutdown calls `stop`.
 */
@Injectable()
export class PeriodicTasks implements BeforeApplicationShutdown {
  private readonly tasks = new Map<string, RegisteredTask>();
  private readonly failures = new Set<TaskFailures>();
  private stopped = false;

  constructor(
    private readonly registry: SchedulerRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Runs `task` in about `milliseconds`, and again about that long after the end of each run. `name` must be unique. */
  every(
    name: string,
    milliseconds: number,
    task: () => Promise<void>,
    { whileDraining = false }: PeriodicTaskOptions = {},
  ): PeriodicTask {
    if (this.tasks.has(name)) throw new Error(`There is a periodic task "${name}" already`);
    const failures = new TaskFailures(name, this.logger);
    this.failures.add(failures);
    const run = () =>
      withRequestID(undefined, task).then(
        () => failures.reset(),
        (error: unknown) => failures.add(error),
      );
    const registered = new RegisteredTask(name, milliseconds, run, whileDraining, this.registry);
    this.tasks.set(name, registered);
    if (this.stopped) registered.drain();
    else registered.plan();
    return {
      runWithin: (sooner) => registered.runWithin(sooner),
      stop: () => {
        if (this.tasks.get(name) === registered) this.tasks.delete(name);
        this.failures.delete(failures);
        return registered.stop();
      },
    };
  }

  /** How long the task that fails longest has failed at each run; 0 = none fails. */
  get longestFailingMs(): number {
    return Math.max(0, ...[...this.failures].map(({ failingMs }) => failingMs));
  }

  /** True from the moment shutdown begins: a task with many batches ends after the current one. */
  get stopping(): boolean {
    return this.stopped;
  }

  /**
   * Ends all tasks without `whileDraining`: cancels their planned runs and waits for those in progress. Tasks with `whileDraining` continue until
   * their owners stop them. A second call only waits.
   */
  async stop(): Promise<void> {
    const isFirst = !this.stopped;
    this.stopped = true;
    const tasks = [...this.tasks.values()];
    if (isFirst) for (const task of tasks) task.drain();
    await Promise.all(tasks.filter(({ whileDraining }) => !whileDraining).map((task) => task.stop()));
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }
}

/** Logs the failures of one task, at most once a minute with the same error: a task that runs every second may fail for hours. */
class TaskFailures {
  private nextAt = -Infinity;
  /** The times of the first and the last failure since the last success, on the monotonic clock. */
  private since: number | undefined;
  private lastAt = 0;
  private lastMessage: string | undefined;
  /** The number of failures since the last line or success. */
  private failures = 0;

  constructor(
    private readonly task: string,
    private readonly logger: Logger,
  ) {}

  add(error: unknown): void {
    this.failures += 1;
    const now = performance.now();
    this.since ??= now;
    this.lastAt = now;
    const message = isNativeError(error) ? error.message : String(error);
    if (message === this.lastMessage && now < this.nextAt) return;
    this.logger.warn({ err: error, task: this.task, failures: this.failures }, 'a periodic task failed; it runs again');
    this.nextAt = now + FAILURE_LOG_INTERVAL_MS;
    this.lastMessage = message;
    this.failures = 0;
  }

  reset(): void {
    this.failures = 0;
    this.since = undefined;
  }

  /** The time from the first to the last failure: a single one says nothing about further runs. */
  get failingMs(): number {
    return this.since === undefined ? 0 : this.lastAt - this.since;
  }
}

class RegisteredTask {
  private timer: NodeJS.Timeout | undefined;
  /** When the planned run begins, on the monotonic clock. */
  private plannedAt = 0;
  /** The maximum pause before the next run, as `runWithin` has requested it. */
  private maxPauseMs = Infinity;
  private running: Promise<void> | undefined;
  private ended = false;
  private isRegistered = true;

  constructor(
    private readonly name: string,
    private readonly milliseconds: number,
    private readonly task: () => Promise<void>,
    readonly whileDraining: boolean,
    private readonly registry: SchedulerRegistry,
  ) {}

  plan(): void {
    if (this.ended) return;
    const usual = this.milliseconds * (1 + JITTER_FRACTION * (Math.random() - 0.5));
    const pause = Math.min(usual, this.maxPauseMs);
    this.maxPauseMs = Infinity;
    this.plannedAt = performance.now() + pause;
    // Planned outside of the current request: the log lines of the task must not have the id of the request that added it.
    this.timer = withRequestID(undefined, () => setTimeout(() => this.run(), pause)).unref();
    if (this.isRegistered) this.registry.addTimeout(this.name, this.timer);
  }

  runWithin(milliseconds: number): void {
    const isPlanned = this.timer !== undefined;
    if (isPlanned && this.plannedAt <= performance.now() + milliseconds) return;
    this.maxPauseMs = Math.min(this.maxPauseMs, milliseconds);
    if (!isPlanned) return;
    this.cancel();
    this.plan();
  }

  /** Called when shutdown begins, at which Nest clears its registry: a task that continues is taken out of the registry, any other one ends. */
  drain(): void {
    this.cancel();
    this.isRegistered = false;
    if (!this.whileDraining) this.ended = true;
    else if (!this.running) this.plan();
  }

  async stop(): Promise<void> {
    this.ended = true;
    this.cancel();
    await this.running;
  }

  private run(): void {
    this.cancel();
    this.running = this.runAndPlan();
  }

  private async runAndPlan(): Promise<void> {
    await this.task();
    this.running = undefined;
    this.plan();
  }

  private cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.isRegistered && this.registry.doesExist('timeout', this.name)) this.registry.deleteTimeout(this.name);
  }
}
