import type { ProcessSummary } from '../../api/generated/console-api';
import { processStateOf, type ProcessState } from './process-state';

/** Whether the process is in the state and has every word of `q` in its name, whatever the case and the accents. An absent filter matches all. */
export function matchesFilter(process: ProcessSummary, { q, state }: { q?: string; state?: ProcessState }): boolean {
  if (state !== undefined && processStateOf(process) !== state) return false;
  const name = searchForm(process.processName);
  return searchForm(q ?? '')
    .split(/\s+/)
    .every((word) => name.includes(word));
}

function searchForm(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
