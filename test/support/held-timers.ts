/** Never, as far as a test is concerned. */
const NEVER = 2 ** 31 - 1;

/**
 * Timers of exactly so many milliseconds do not run out from now on, however long they take: `fire` ends those that were
 * set, `release` leaves later ones alone again. For bounds that a starved machine must not meet by itself.
 */
export function holdTimers(milliseconds: number): { fire(): void; release(): void } {
  const held: (() => void)[] = [];
  const set = globalThis.setTimeout;
  const spy = jest.spyOn(globalThis, 'setTimeout').mockImplementation((work, delay, ...rest) => {
    if (delay !== milliseconds) return set(work, delay, ...rest);
    held.push(() => work(...rest));
    return set(() => undefined, NEVER).unref();
  });
  return {
    fire: () => {
      for (const work of held.splice(0)) work();
    },
    release: () => spy.mockRestore(),
  };
}
