import type { ServerResponse } from 'node:http';
import { WINDOW_SECONDS, type RateAnswer } from './rate-limiter';

/** `RateLimit` and `RateLimit-Policy` of the IETF draft, and `Retry-After` on a refusal (interpretation 42). */
export function setRateHeaders(
  response: ServerResponse,
  { granted, limit, remaining, resetSeconds }: RateAnswer,
): void {
  response.setHeader('RateLimit-Policy', `"default";q=${limit};w=${WINDOW_SECONDS}`);
  response.setHeader('RateLimit', `"default";r=${remaining};t=${resetSeconds}`);
  if (!granted) response.setHeader('Retry-After', String(resetSeconds));
}
