import { readID } from '@batuta/auth';
import type { HistoryItem } from '@batuta/contracts';

/** Where a page of a history ended. */
export interface HistoryPosition {
  /** The id of the last execution of the page. */
  id: string;
  /** Its `startedAt`; absent for the cursor of an earlier release, which is the id alone. */
  startedAt?: string;
  /** The first day of the pages; with it the default of `from` is the same for all of them, also after midnight. */
  from?: string;
}

const CURSOR = /^(\d{4}-\d\d-\d\d)\.(\d{1,14})\.([^.]+)$/;

/** The cursor behind an execution, as text. It has the time too, because retention may delete the execution before the next page is read. */
export function formatHistoryCursor(from: string, { instanceID, startedAt }: HistoryItem): string {
  return `${from}.${Date.parse(startedAt)}.${instanceID}`;
}

/** Undefined for a value that is no cursor. */
export function readHistoryCursor(value: unknown): HistoryPosition | undefined {
  const [, from, milliseconds, text] = (typeof value === 'string' && CURSOR.exec(value)) || [];
  const id = readID(text ?? value);
  if (id === undefined || from === undefined) return id === undefined ? undefined : { id };
  return { id, startedAt: new Date(Number(milliseconds)).toISOString(), from };
}
