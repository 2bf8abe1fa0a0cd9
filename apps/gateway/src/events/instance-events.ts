import type { InstanceBody, InstanceNews } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { writeEventID } from './event-id';

/** One server-sent event; undefined becomes a comment that keeps the connection alive. */
export type StreamEvent = { event: 'log' | 'status'; id: string; data: unknown } | undefined;

export interface InstanceSource {
  /** The body of the instance and its log lines after the given line. */
  news(afterLine: number): Promise<InstanceNews>;
  /** Resolves when the instance may have changed since the call, after a while in any case, and when `signal` aborts. */
  waitForChange(): Promise<void>;
  signal: AbortSignal;
}

/**
 * The events of an instance until its end: each log line after `afterLine` in order, and the body whenever it has changed.
 * While execution is unavailable the events pause. Throws any other error of `news`.
 */
export async function* instanceEvents(afterLine: number, source: InstanceSource): AsyncGenerator<StreamEvent> {
  let line = afterLine;
  let sentBody = '';
  while (!source.signal.aborted) {
    // The wait begins before the poll, so that a change between the two is not missed.
    const changed = source.waitForChange();
    const found = await source.news(line).catch(undefinedWhenUnavailable);
    for (const { line: number, ...entry } of found?.lines ?? []) {
      line = number;
      yield { event: 'log', id: writeEventID({ line, end: false }), data: entry };
    }
    if (!found) yield undefined;
    // A poll returns a limited number of lines, and all lines come before the end.
    if (found && found.lines.length > 0) continue;
    if (found) {
      const end = hasEnded(found.body);
      const body = JSON.stringify(found.body);
      if (body !== sentBody) yield { event: 'status', id: writeEventID({ line, end }), data: found.body };
      sentBody = body;
      if (end) return;
    }
    await changed;
  }
}

export function hasEnded(body: InstanceBody): boolean {
  return 'finishedAt' in body;
}

function undefinedWhenUnavailable(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') throw error;
}
