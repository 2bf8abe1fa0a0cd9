import type { InstanceEnded, InstanceInProgress, LogLine, operations } from './generated/api';
import { answerTo, type Http } from './http';
import { repeated, sleep, type Patience } from './retry';

export type Instance = InstanceInProgress | InstanceEnded;
export type ControlAction = operations['instances.control']['parameters']['path']['action'];
export type LogQuery = NonNullable<operations['instances.logs']['parameters']['query']>;

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

export function hasEnded(instance: Instance): instance is InstanceEnded {
  return 'finishedAt' in instance;
}

/** The instance was still in progress when the time was over; it goes on. */
export class StillInProgress extends Error {
  override readonly name = 'StillInProgress';

  constructor(readonly instance: InstanceInProgress) {
    super(`Instance ${instance.instanceID} is still ${instance.status}.`);
  }
}

/** One instance. */
export class InstanceClient {
  constructor(
    private readonly http: Http,
    readonly instanceID: string,
  ) {}

  status(): Promise<Instance> {
    return answerTo(this.http.GET('/v1/instances/{iid}', { params: { path: { iid: this.instanceID } } }));
  }

  /** At most 1000 lines, oldest first. */
  async logs(query: LogQuery = {}): Promise<LogLine[]> {
    const params = { path: { iid: this.instanceID }, query };
    return (await answerTo(this.http.GET('/v1/instances/{iid}/logs', { params }))).logs;
  }

  stop(): Promise<void> {
    return this.control('stop');
  }

  pause(): Promise<void> {
    return this.control('pause');
  }

  resume(): Promise<void> {
    return this.control('resume');
  }

  /**
   * Resolves when it has ended, well or not: asks often at first, then every two seconds, over outages too. Throws
   * StillInProgress after `within` milliseconds.
   */
  async ended({ within, signal }: Patience): Promise<InstanceEnded> {
    const deadline = Date.now() + within;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(1.5 * pause, LONGEST_PAUSE)) {
      const left = deadline - Date.now();
      const instance = await repeated(() => this.status(), { within: left, signal });
      if (hasEnded(instance)) return instance;
      if (left <= 0) throw new StillInProgress(instance);
      await sleep(Math.min(pause, left), signal);
    }
  }

  private async control(action: ControlAction): Promise<void> {
    const params = { path: { iid: this.instanceID, action } };
    await answerTo(this.http.POST('/v1/instances/{iid}/{action}', { params }));
  }
}
