/** A call that asks for a place, by its instance. */
export interface PlaceAsked {
  instanceID: string;
  originID: string;
}

/**
 * Which of the calls get one of the `places` of their process, in their order; `held` = instances that have one already,
 * and keep it. A call of an origin that was removed gets none.
 */
export function grantPlaces(
  calls: readonly PlaceAsked[],
  { origins, held, places }: { origins: ReadonlySet<string>; held: ReadonlySet<string>; places: number },
): boolean[] {
  const taken = new Set(held);
  return calls.map(({ instanceID, originID }) => {
    if (!origins.has(originID)) return false;
    if (!taken.has(instanceID) && taken.size >= places) return false;
    taken.add(instanceID);
    return true;
  });
}
