import type { ServerResponse } from 'node:http';
import { DEFAULT_LIMIT_NAME, WINDOW_SECONDS, type RateAnswer } from './rate-limiter';

/**
 * Sets `RateLimit` and `RateLimit-Policy` of the IETF draft, and `Retry-After` on a refusal (interpretation 42). They
 * describe the limit that is closest to being used up; the limit of the single caller has the name `default`.
 */
export function setRateHeaders(
  response: ServerResponse,
  { granted, name = DEFAULT_LIMIT_NAME, limit, remaining, resetSeconds }: RateAnswer,
): void {
  response.setHeader('RateLimit-Policy', `"${name}";q=${limit};w=${WINDOW_SECONDS}`);
  response.setHeader('RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`);
  if (!granted) response.setHeader('Retry-After', String(resetSeconds));
}
