import type { RunAnswerItem } from '../../api/generated/console-api';

/**
 * How long a run has been running at `second` (Unix time in seconds by the clock of this machine), pauses included: milliseconds in whole seconds,
 * at least 1,000, because that clock may be behind the server's. Undefined for a run that is not running.
 */
export function durationSoFar(
  { status, startedAt }: Pick<RunAnswerItem, 'status' | 'startedAt'>,
  second: number,
): number | undefined {
  if (status !== 'running' || startedAt === null) return undefined;
  return Math.max(1, second - Math.floor(Date.parse(startedAt) / 1_000)) * 1_000;
}
