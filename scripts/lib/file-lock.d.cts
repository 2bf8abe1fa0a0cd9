export interface Holder {
  pid: number;
  [about: string]: unknown;
}
export type Lock = { release: () => Promise<void>; heldBy?: undefined } | { release?: undefined; heldBy: Holder };
export function tryLock(file: string, about?: Record<string, unknown>): Promise<Lock>;
export function withLock<T>(file: string, waitMs: number, work: () => Promise<T>): Promise<T>;
