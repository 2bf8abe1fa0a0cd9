import type { InstanceEnded, InstanceInProgress, LogLine, LogList, operations } from './generated/api';
import { followInstance, type FollowOptions, type InstanceEvent } from './events';
import { answerTo, type TypedHttp } from './http';
import { retry, sleep, type RetryOptions } from './retry';

export type Instance = InstanceInProgress | InstanceEnded;
export type ControlAction = operations['instances.control']['parameters']['path']['action'];
export type LogQuery = NonNullable<operations['instances.logs']['parameters']['query']>;

const MAX_PAGE_LINES = 1_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

export function hasEnded(instance: Instance): instance is InstanceEnded {
  return 'finishedAt' in instance;
}

/** The time limit passed while the instance was in progress; the instance continues. */
export class StillInProgress extends Error {
  override readonly name = 'StillInProgress';

  /** `instance` = as the last poll found it. */
  constructor(readonly instance: InstanceInProgress) {
    super(`Instance ${instance.instanceID} is still ${instance.status}.`);
  }
}

/** A client of one instance. */
export class InstanceClient {
  constructor(
    private readonly http: TypedHttp,
    readonly instanceID: string,
  ) {}

  status({ signal }: { signal?: AbortSignal } = {}): Promise<Instance> {
    return answerTo(this.http.GET('/v1/instances/{iid}', { params: { path: { iid: this.instanceID } }, signal }));
  }

  /**
   * At most `limit` lines (default: 1,000), oldest first: the newest lines of the log, or those before line number `before`, or with `after`
   * the first lines after that number. Lines that do not fit into one answer are read page by page.
   */
  async logs(query: LogQuery = {}): Promise<LogLine[]> {
    return query.after === undefined ? this.newestLines(query) : this.nextLines(query);
  }

  /** One answer of at most about 1 MB, with the query for further lines in `older` or `newer`. */
  logPage(query: LogQuery = {}): Promise<LogList> {
    return answerTo(this.http.GET('/v1/instances/{iid}/logs', { params: { path: { iid: this.instanceID }, query } }));
  }

  /** Requests a stop; resolves before a running instance has stopped. A control action is not repeated when it fails. */
  stop(): Promise<void> {
    return this.control('stop');
  }

  /**
   * Requests a pause, which begins after the present step. An active instance that does not run, or that is paused or being stopped, refuses it with
   * INSTANCE_UNRESOLVED.
   */
  pause(): Promise<void> {
    return this.control('pause');
  }

  /** Lets a paused instance continue; any other active one refuses it with INSTANCE_UNRESOLVED. */
  resume(): Promise<void> {
    return this.control('resume');
  }

  /**
   * Polls until the instance has ended, with success or in error: often at first, then every two seconds, also during outages.
   * After `within` milliseconds throws StillInProgress. Throws the last error of an outage (no answer, 429 or 5xx) when the next attempt would
   * begin after `within`, a final refusal at once, and the reason of `signal` when that aborts.
   */
  async ended({ within, signal }: RetryOptions): Promise<InstanceEnded> {
    const deadline = Date.now() + within;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(1.5 * pause, MAX_PAUSE_MS)) {
      const remaining = deadline - Date.now();
      const instance = await retry(() => this.status({ signal }), { within: remaining, signal });
      if (hasEnded(instance)) return instance;
      if (remaining <= 0) throw new StillInProgress(instance);
      await sleep(Math.min(pause, remaining), signal);
    }
  }

  /**
   * The log lines and states of the instance as they come, up to its end, by server-sent events: `for await (const {
   * event, data } of instance.events())`.
   */
  events(options: FollowOptions = {}): AsyncGenerator<InstanceEvent> {
    return followInstance(this.http, this.instanceID, options);
  }

  private async newestLines({ limit = MAX_PAGE_LINES, before }: LogQuery): Promise<LogLine[]> {
    const lines: LogLine[] = [];
    let next: LogQuery | undefined = before === undefined ? {} : { before };
    while (next && lines.length < limit) {
      const page: LogList = await this.logPage({ ...next, limit: pageSizeOf(limit - lines.length) });
      lines.unshift(...page.logs);
      next = page.older;
    }
    return lines;
  }

  private async nextLines(query: LogQuery): Promise<LogLine[]> {
    const { limit = MAX_PAGE_LINES } = query;
    const pageQuery = { ...query, ...(query.limit !== undefined && { limit: pageSizeOf(limit) }) };
    const lines: LogLine[] = [];
    let next: LogQuery | undefined = pageQuery;
    while (next && lines.length < limit) {
      const page: LogList = await this.logPage({ ...pageQuery, ...next });
      lines.push(...page.logs);
      next = page.newer;
    }
    return lines.slice(0, limit);
  }

  private async control(action: ControlAction): Promise<void> {
    const params = { path: { iid: this.instanceID, action } };
    await answerTo(this.http.POST('/v1/instances/{iid}/{action}', { params }));
  }
}

/** How many of the missing lines one answer may have. */
const pageSizeOf = (missing: number) => Math.min(missing, MAX_PAGE_LINES);
