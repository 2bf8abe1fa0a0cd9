/** The longest delay that a timer may have, 24 days: a held timer never fires by itself. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Holds all new timers of exactly this many milliseconds, so that a busy machine does not reach a time limit by itself. `fire` runs the timers held
 * so far, also those that were cleared; after `release` new timers run normally.
 */
export function holdTimers(milliseconds: number): { fire(): void; release(): void } {
  const held: (() => void)[] = [];
  const set = globalThis.setTimeout;
  const spy = jest.spyOn(globalThis, 'setTimeout').mockImplementation((work, delay, ...rest) => {
    if (delay !== milliseconds) return set(work, delay, ...rest);
    held.push(() => work(...rest));
    return set(() => undefined, MAX_TIMER_MS).unref();
  });
  return {
    fire: () => {
      for (const work of held.splice(0)) work();
    },
    release: () => spy.mockRestore(),
  };
}
