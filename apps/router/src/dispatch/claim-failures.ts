import type { Logger } from '@batuta/observability';
import type { AgentSession } from '../sessions/agent-session';

/** Time after a logged failure within which further failures are only counted. */
const LOG_INTERVAL_MS = 60_000;

/** Logs failed claims, at most one a minute: while execution is away, the claims of every environment fail every few seconds. */
export class ClaimFailures {
  private nextAt = -Infinity;
  /** The number of failures since the last line. */
  private failures = 0;

  constructor(private readonly logger: Logger) {}

  add(error: unknown, { id: sessionID, environmentID }: Pick<AgentSession, 'id' | 'environmentID'>): void {
    this.failures += 1;
    const now = performance.now();
    if (now < this.nextAt) return;
    const { failures } = this;
    this.logger.warn({ err: error, sessionID, environmentID, failures }, 'the claim of a session failed');
    this.nextAt = now + LOG_INTERVAL_MS;
    this.failures = 0;
  }
}
