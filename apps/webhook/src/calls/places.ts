/** Places of a process that a replica of the gateway holds. */
export interface HeldPlaces {
  holder: string;
  places: number;
  /** Of its last request that counted. */
  turn: number;
}

/**
 * How many more places the holder gets, beside those that are held of its process (its own among them): never more than
 * are left of `most`. A request that one of its own has overtaken gets none: nobody waits for it any more.
 */
export function grantPlaces(
  { holder, turn, want }: { holder: string; turn: number; want: number },
  held: readonly HeldPlaces[],
  most: number,
): number {
  if (held.some((one) => one.holder === holder && one.turn > turn)) return 0;
  const taken = held.reduce((total, { places }) => total + places, 0);
  return Math.max(0, Math.min(want, most - taken));
}
