import type { LogLineAnswer } from '../../api/generated/console-api';

/** A line of the log with its number in the instance, from 1. */
export interface NumberedLogLine extends LogLineAnswer {
  number: number;
}

/** A part of the log without gaps, up to its newest line. */
export interface RunLog {
  lines: NumberedLogLine[];
  /** How many lines the page keeps; it grows with the older lines that the user asks for. */
  limit: number;
  /** The number of the newest line that was received; 0 before any. */
  newest: number;
}

/** Number of lines that the page reads at first, and with each request of the user for older lines; also the first `limit` of a log. */
export const LINES_AT_ONCE = 500;

export const EMPTY_LOG: RunLog = { lines: [], limit: LINES_AT_ONCE, newest: 0 };

/** Adds lines in their order, without those that were received before; of the result the newest `limit` are kept. */
export function addNewer(log: RunLog, lines: NumberedLogLine[]): RunLog {
  const fresh = lines.filter(({ number }) => number > log.newest);
  const newest = fresh.at(-1)?.number;
  if (newest === undefined) return log;
  return { ...log, newest, lines: [...log.lines, ...fresh].slice(-log.limit) };
}

/** Adds the lines that come directly before the line with the number `before`; adds nothing when that is no longer the first line. */
export function addOlder(log: RunLog, before: number, answers: LogLineAnswer[]): RunLog {
  // Lines may have left the page while the older lines were read.
  if (log.lines[0]?.number !== before) return log;
  const first = before - answers.length;
  const older = answers.map((line, index) => ({ ...line, number: first + index }));
  return { ...log, limit: log.limit + older.length, lines: [...older, ...log.lines] };
}

/**
 * The number of the first line on the page, as the query parameter `before` that reads the lines before it; undefined when the page has line 1,
 * or no line.
 */
export function olderLinesCursor({ lines }: RunLog): number | undefined {
  const first = lines[0]?.number;
  return first !== undefined && first > 1 ? first : undefined;
}

/** The message without the name of its step, which is shown beside it. */
export function logMessageOf({ message, stepID }: Pick<LogLineAnswer, 'message' | 'stepID'>): string {
  const prefix = `Step "${stepID}": `;
  return message.startsWith(prefix) ? message.slice(prefix.length) : message;
}

/** The address of the picture of a line; undefined for a line without a picture, or of an older agent, whose `evidence` may be other text. */
export function pictureOf({ evidence }: Pick<LogLineAnswer, 'evidence'>): string | undefined {
  return evidence !== null && /^\/v1\/instances\/[\w-]+\/evidence\/[\w.-]+$/.test(evidence)
    ? `/manage${evidence}`
    : undefined;
}

/** A line with a picture; `ordinal` = the position of the picture among those of its step in the lines on the page, from 1. */
export interface RunPicture {
  line: NumberedLogLine;
  ordinal: number;
}

export function picturesOf(lines: readonly NumberedLogLine[]): RunPicture[] {
  const counts = new Map<string, number>();
  return lines
    .filter((line) => pictureOf(line) !== undefined)
    .map((line) => {
      const ordinal = (counts.get(line.stepID) ?? 0) + 1;
      counts.set(line.stepID, ordinal);
      return { line, ordinal };
    });
}
