import { refusalOf } from '@batuta/auth';
import { PeriodicTasks } from '@batuta/service';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AccessLookups } from '../authorization/access-lookups';

/** With the time limit of the query this ends a stream within ten seconds of its credential. */
const CHECK_MS = 4_000;

/**
 * Ends event streams whose credential may no longer be used: revoked, expired, the account blocked, the company suspended or
 * without API access. One look-up serves all streams of a credential.
 */
@Injectable()
export class StreamCredentials implements OnApplicationBootstrap {
  private readonly streams = new Map<string, Set<AbortController>>();

  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly lookups: AccessLookups,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('credentials of event streams', CHECK_MS, () => this.endRefused());
  }

  /** Aborts `stream` with the ApiError that refuses its credential, until the returned function is called. */
  watch(credentialID: string, stream: AbortController): () => void {
    const streams = this.streams.get(credentialID) ?? new Set();
    this.streams.set(credentialID, streams.add(stream));
    return () => {
      streams.delete(stream);
      if (streams.size === 0 && this.streams.get(credentialID) === streams) this.streams.delete(credentialID);
    };
  }

  private async endRefused(): Promise<void> {
    await Promise.all(
      [...this.streams].map(async ([credentialID, streams]) => {
        const found = await this.lookups.access({ credentialID });
        const refusal = refusalOf(found?.caller);
        if (refusal) for (const stream of streams) stream.abort(refusal);
      }),
    );
  }
}
