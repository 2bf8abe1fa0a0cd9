/** The permits of a process that one gateway replica holds. */
export interface HeldPermits {
  holder: string;
  /** The number of permits; the column's name. */
  places: number;
  /** The number (`PermitHolder.turn`) of the holder's last request that changed its permits or renewed their lease. */
  turn: number;
}

/**
 * The number of permits that a request adds. `held` are the unexpired permits of the process, those of the holder
 * included; `limit` bounds the sum of all. A request that arrives after a later one of the same holder gets none,
 * because no call still waits for its reply.
 */
export function permitsToLease(
  { holder, turn, want }: { holder: string; turn: number; want: number },
  held: readonly HeldPermits[],
  limit: number,
): number {
  if (held.some((one) => one.holder === holder && one.turn > turn)) return 0;
  const leased = held.reduce((total, { places }) => total + places, 0);
  return Math.max(0, Math.min(want, limit - leased));
}
