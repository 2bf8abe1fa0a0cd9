import type { ServerResponse } from 'node:http';
import { DEFAULT_LIMIT, WINDOW_SECONDS, type RateAnswer } from './rate-limiter';

/**
 * `RateLimit` and `RateLimit-Policy` of the IETF draft, and `Retry-After` on a refusal (interpretation 42). They name the limit
 * that binds; `default` is that of the single caller.
 */
export function setRateHeaders(
  response: ServerResponse,
  { granted, name = DEFAULT_LIMIT, limit, remaining, resetSeconds }: RateAnswer,
): void {
  response.setHeader('RateLimit-Policy', `"${name}";q=${limit};w=${WINDOW_SECONDS}`);
  response.setHeader('RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`);
  if (!granted) response.setHeader('Retry-After', String(resetSeconds));
}
