import type { ApiError } from '@batuta/errors';
import type { PeriodicTasks } from '@batuta/service';
import type { OnApplicationBootstrap } from '@nestjs/common';

/** Together with the time limit of the query, this interval ends a stream within ten seconds after its credential or login session has ended. */
const CHECK_INTERVAL_MS = 4_000;

/** Returns the refusal of a credential or login session that may no longer be used; undefined while it may be used. */
type CheckAccess = (accessID: string) => Promise<ApiError | undefined>;

/**
 * Ends event streams whose credential or login session may no longer be used: revoked, expired, the account blocked, the company
 * suspended. One look-up serves all streams of a credential or login session.
 */
export class StreamAccess implements OnApplicationBootstrap {
  private readonly streams = new Map<string, Set<AbortController>>();

  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly refusalOf: CheckAccess,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('credentials of event streams', CHECK_INTERVAL_MS, () => this.endRefused());
  }

  /** Aborts `stream` with the ApiError that refuses its credential or login session, until the returned function is called. */
  watch(accessID: string, stream: AbortController): () => void {
    const streams = this.streams.get(accessID) ?? new Set();
    this.streams.set(accessID, streams.add(stream));
    return () => {
      streams.delete(stream);
      if (streams.size === 0 && this.streams.get(accessID) === streams) this.streams.delete(accessID);
    };
  }

  private async endRefused(): Promise<void> {
    await Promise.all(
      [...this.streams].map(async ([accessID, streams]) => {
        const refusal = await this.refusalOf(accessID);
        if (refusal) for (const stream of streams) stream.abort(refusal);
      }),
    );
  }
}
