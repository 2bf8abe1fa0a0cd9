/**
 * The seconds that a `Retry-After` of an answer asks to wait from `now` (epoch milliseconds) on, given as seconds or as a date (RFC 9110,
 * section 10.2.3); 0 without one, or for any other text.
 */
export function retryAfterSeconds(header: string | null | undefined, now: number): number {
  if (!header) return 0;
  if (/^\d+$/.test(header)) return Number(header);
  return Math.max(0, Math.ceil((Date.parse(header) - now) / 1000) || 0);
}
