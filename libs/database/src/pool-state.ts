/** Is notified when a caller had to wait for a connection of a pool, or got none. */
export interface PoolWatcher {
  /** Called when a caller that found no free connection gets one, with the time of its wait. */
  waited(milliseconds: number): void;
  /** Called when a caller is refused: it waited too long, or too many waited already. */
  refused(): void;
  /** Called when the server refuses the user or the password of a new connection. */
  passwordRefused(error: unknown): void;
  /** Called when a new connection cannot be encrypted, or its certificate is refused. */
  tlsFailed(error: unknown): void;
}

export interface PoolState {
  /** Maximum number of connections. */
  limit: number;
  /** Connections that are in use or being opened. */
  busy: number;
  /** Callers that wait for a connection. */
  waiting: number;
  /** End of the validity of the certificate that the newest encrypted connection showed, in epoch milliseconds; undefined while none has shown one. */
  certificateEnd: number | undefined;
}
