export interface LockWaitRow {
  /** The waiting statement; null between two statements of a transaction. */
  text: string | null;
  /** As InnoDB writes it: `schema`.`table` in backticks. */
  lockTable: string;
  lockIndex: string;
  mode: string;
}

export interface LockWait {
  text: string;
  /** Table and index, separated by a dot. */
  lock: string;
  mode: string;
  waiting: number;
}

export function countWaits(rows: LockWaitRow[], samples: number): LockWait[];
