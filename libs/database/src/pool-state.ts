/** Is notified when a caller that finds no free connection in a pool waits or gets none. */
export interface PoolWatcher {
  waited(milliseconds: number): void;
  /** Called when a caller is refused: it waited too long, or too many waited already. */
  refused(): void;
  /** Called when the server refuses the user or the password of a new connection. */
  passwordRefused(error: unknown): void;
}

/** Connections that are in use or being opened, and the callers that wait for one. */
export interface PoolState {
  limit: number;
  busy: number;
  waiting: number;
}
