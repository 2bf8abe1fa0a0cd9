import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMilliseconds, holdUntilRead } from '@batuta/async';
import { BatutaError, EVENT_STREAM } from '@batuta/client';

type Fetch = (request: Request) => Promise<Response>;

interface FetchRetryOptions {
  signal: AbortSignal;
  /** Called before each pause. */
  onPause: (seconds: number, reason: string) => void;
  fetch?: Fetch;
}

/** Methods that may be repeated although the first attempt may have taken effect. */
const REPEATABLE_METHODS = new Set(['GET', 'PUT', 'PATCH']);
const UNAVAILABLE_STATUSES = new Set([502, 503, 504]);
/** From this attempt of a call on, only an answer with 429 leads to another one. */
const MAX_FAILURES = 4;
const BACKOFF_MS = { first: 200, longest: 2_000 };
const ATTEMPT_TIME_LIMIT_MS = 60_000;
/** When a longer pause is demanded, the program ends with the failure instead, so that the user decides. */
const MAX_PAUSE_SECONDS = 60;
/** The longest time for all pauses of one call together; a pause that would exceed it ends the program likewise. */
const MAX_WAIT_SECONDS = 120;

/**
 * A `fetch` with retries, each after at least the pause that the answer demands. It repeats a call after a 429, because a refused call has
 * changed nothing, and after 502, 503, 504 or no answer only with methods that may be repeated. It returns or throws the last result.
 */
export function fetchWithRetries({ signal, onPause, fetch = globalThis.fetch }: FetchRetryOptions): Fetch {
  return async (request) => {
    let waited = 0;
    for (let failures = 1; ; failures += 1) {
      const attempt: unknown = await attemptOf(request, signal, fetch).catch((error: unknown) => error);
      const pause = pauseAfter(attempt, request.method, failures);
      const tooLong = pause !== undefined && (pause > MAX_PAUSE_SECONDS || waited + pause > MAX_WAIT_SECONDS);
      if (pause === undefined || tooLong || signal.aborted || request.signal.aborted) {
        if (attempt instanceof Response) return attempt;
        throw attempt;
      }
      if (attempt instanceof Response) await attempt.body?.cancel();
      waited += pause;
      onPause(pause, attempt instanceof Response ? `answer ${attempt.status}` : 'no answer');
      await sleep(pause * 1_000, undefined, { signal: AbortSignal.any([signal, request.signal]) });
    }
  };
}

/** The time limit applies to the whole answer, but for an event stream only to its beginning. */
async function attemptOf(request: Request, interruption: AbortSignal, fetch: Fetch): Promise<Response> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error('the answer took too long')), ATTEMPT_TIME_LIMIT_MS);
  timer.unref();
  const signal = AbortSignal.any([request.signal, interruption, limit.signal]);
  const copy = new Request(request.clone(), { signal });
  const response = await holdUntilRead(fetch(copy), [request, signal, copy]);
  if (request.headers.get('accept') === EVENT_STREAM) clearTimeout(timer);
  return response;
}

/** Seconds until the next attempt; undefined when the attempt is final. */
function pauseAfter(attempt: unknown, method: string, failures: number): number | undefined {
  const pause = backoffMilliseconds(failures, BACKOFF_MS, Math.random()) / 1_000;
  const mayRepeat = REPEATABLE_METHODS.has(method) && failures < MAX_FAILURES;
  if (attempt instanceof Response) {
    const demanded = BatutaError.of(attempt, undefined).retryAfter;
    if (attempt.status === 429) return Math.max(demanded ?? 1, pause);
    if (!UNAVAILABLE_STATUSES.has(attempt.status)) return undefined;
    return mayRepeat ? Math.max(demanded ?? 0, pause) : undefined;
  }
  return mayRepeat ? pause : undefined;
}
