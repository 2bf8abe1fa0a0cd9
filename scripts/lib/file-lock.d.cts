/** The process that holds a lock, with what it said `about` itself. */
export interface Holder {
  pid: number;
  [about: string]: unknown;
}
/** A lock of this process, or the holder that has it. */
export type Lock = { release: () => Promise<void>; heldBy?: undefined } | { release?: undefined; heldBy: Holder };
/** Tries once to acquire a lock file for this process; takes over that of a process that was killed. */
export function tryLock(file: string, about?: Record<string, unknown>): Promise<Lock>;
/** Runs `work` with the lock; throws when the lock is not free within `waitMs`. */
export function withLock<T>(file: string, waitMs: number, work: () => Promise<T>): Promise<T>;
