import type { RunAnswerItem } from '../../api/generated/console-api';

/**
 * Milliseconds that a run has taken until `second`, which is counted from 1970: whole seconds, and at least one, because the clock of this
 * machine may be behind. Undefined for a run that is not running.
 */
export function durationSoFar(
  { status, startedAt }: Pick<RunAnswerItem, 'status' | 'startedAt'>,
  second: number,
): number | undefined {
  if (status !== 'running' || startedAt === null) return undefined;
  return Math.max(1, second - Math.floor(Date.parse(startedAt) / 1_000)) * 1_000;
}
