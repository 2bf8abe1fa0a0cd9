import type { HistoryItem } from '@batuta/contracts';
import { isDay } from './history-day';

/** Where a page of a history ended. */
export interface HistoryCursor {
  /** The id of the last execution of the page. */
  id: string;
  /** Its `startedAt`; absent when the cursor is the id alone, as one of an earlier release is. */
  startedAt?: string;
  /** The first day of the pages; with it the default of `from` is the same for all of them, also after midnight. */
  from?: string;
}

/**
 * Matches a cursor: the first day of the pages, and the `startedAt` (epoch milliseconds) and the id of an execution, separated by dots. An
 * earlier release gave the id alone.
 */
export const HISTORY_CURSOR_PATTERN =
  /^(?:(\d{4}-\d\d-\d\d)\.(\d{1,14})\.)?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/;

/** The cursor behind an execution, as text. It has the time too, because retention may delete the execution before the next page is read. */
export function formatHistoryCursor(from: string, { instanceID, startedAt }: HistoryItem): string {
  return `${from}.${Date.parse(startedAt)}.${instanceID}`;
}

/** Undefined for a text that is no cursor. A day that no calendar has is left out. */
export function readHistoryCursor(text: string): HistoryCursor | undefined {
  const [, from, milliseconds, id] = HISTORY_CURSOR_PATTERN.exec(text) ?? [];
  if (id === undefined) return undefined;
  const position = { id: id.toLowerCase() };
  if (from === undefined) return position;
  return { ...position, startedAt: new Date(Number(milliseconds)).toISOString(), ...(isDay(from) && { from }) };
}
