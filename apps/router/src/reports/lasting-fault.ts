import { ApiError } from '@batuta/errors';

/** Time after which a call that always fails with INTERNAL counts as impossible to store; tests shorten it. */
export const UNSTORABLE = { afterMilliseconds: 600_000 };

/**
 * Knows whether every attempt of a call has failed as INTERNAL for a given time. Another failure, such as UNAVAILABLE during an outage of the
 * database, begins the time anew, because it says nothing of the request.
 */
export class LastingFault {
  private since: number | undefined;

  constructor(private readonly milliseconds = UNSTORABLE.afterMilliseconds) {}

  get lasts(): boolean {
    return this.since !== undefined && performance.now() - this.since >= this.milliseconds;
  }

  /** Makes an attempt and notes how it fails. */
  async watch<T>(attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      const isInternal = error instanceof ApiError && error.code === 'INTERNAL';
      this.since = isInternal ? (this.since ?? performance.now()) : undefined;
      throw error;
    }
  }
}
