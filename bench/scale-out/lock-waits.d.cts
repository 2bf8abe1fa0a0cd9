/** A statement that waited for a row lock when a sample was taken. */
export interface LockWaitRow {
  /** The waiting statement; null between two statements of a transaction. */
  text: string | null;
  /** As InnoDB writes it: `schema`.`table` in backticks. */
  lockTable: string;
  lockIndex: string;
  /** The mode of the lock as InnoDB writes it, such as X. */
  mode: string;
}

/** Equal statements that waited for locks of the same index and mode. */
export interface LockWait {
  text: string;
  /** Table and index, separated by a dot. */
  lock: string;
  mode: string;
  /** How many waited in a sample, on average. */
  waiting: number;
}

export function countWaits(rows: LockWaitRow[], samples: number): LockWait[];
