import { hashSecret } from '@batuta/auth';
import type { RateAnswer } from './rate-limiter';

/** Longest time for which a refusal is remembered; afterwards the credential, its company and its plan are read again. */
const MAX_AGE_MS = 1_000;
const MAX_CALLERS = 10_000;

/** A caller that was refused because a limit is used up for this minute. */
export interface RefusedCaller {
  answer: RateAnswer;
  /** The company of the caller, or another key for a caller without a company. */
  tenant: string;
  message: string;
}

/**
 * Remembers refused callers by the SHA-256 of their secret, for a second and never beyond the minute whose limit is used
 * up. After two refusals of a caller within a second, its next requests are refused without a query and without reading their bodies; after
 * one refusal the caller is looked up again, so that a raised limit applies at once. Only refusals are remembered, so no caller keeps a
 * right that has ended; a caller whose credential is revoked meanwhile is refused with the old reason for that second.
 */
export class RefusedCallers {
  /** By hash, in the order in which they were remembered. */
  private readonly callers = new Map<string, RefusedCaller & { until: number; isRepeated: boolean }>();

  constructor(
    /** Epoch milliseconds. */
    private readonly now: () => number = Date.now,
  ) {}

  /** `secret` is the secret with which the caller authenticates; only its hash is kept. */
  remember(secret: string, caller: RefusedCaller): void {
    const now = this.now();
    const until = Math.min(now + MAX_AGE_MS, caller.answer.resetAt);
    this.forgetExpired(now);
    const key = keyOf(secret);
    const isRepeated = this.callers.delete(key);
    this.callers.set(key, { ...caller, until, isRepeated });
  }

  /**
   * The refusal of the caller, with the seconds that are left of the minute; undefined unless it was refused twice within a second, the last time
   * less than a second ago, and the minute has not ended.
   */
  find(secret: string | undefined): RefusedCaller | undefined {
    // Hashing takes longer than the look-up, and usually nobody is refused.
    if (secret === undefined || this.callers.size === 0) return undefined;
    const found = this.callers.get(keyOf(secret));
    const now = this.now();
    if (!found?.isRepeated || !isCurrent(found, now)) return undefined;
    const { answer, tenant, message } = found;
    return { answer: { ...answer, resetSeconds: Math.ceil((answer.resetAt - now) / 1_000) }, tenant, message };
  }

  /** Forgets expired callers, and the oldest ones while there are MAX_CALLERS. */
  private forgetExpired(now: number): void {
    for (const [key, caller] of this.callers) {
      if (isCurrent(caller, now) && this.callers.size < MAX_CALLERS) return;
      this.callers.delete(key);
    }
  }
}

/** False also for a refusal from before the clock was set back: it would be repeated for as long as the clock is behind. */
function isCurrent({ until }: { until: number }, now: number): boolean {
  return until > now && until <= now + MAX_AGE_MS;
}

function keyOf(secret: string): string {
  return hashSecret(secret).toString('latin1');
}
