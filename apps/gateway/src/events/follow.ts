import type { InstanceBody, InstanceNews } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { writeEventID } from './event-id';

/** One server-sent event; `undefined` keeps the connection alive. */
export type StreamEvent = { event: 'log' | 'status'; id: string; data: unknown } | undefined;

export interface FollowParts {
  /** What is new behind a line. */
  news(after: number): Promise<InstanceNews>;
  /** Resolves when the instance may have moved on since the call, after a while anyway, and when `signal` aborts. */
  change(): Promise<void>;
  signal: AbortSignal;
}

/**
 * The life of an instance as events: its log lines in order and its status whenever the body changed, until it has
 * ended. Services that are away for a moment only make it wait.
 */
export async function* follow(after: number, parts: FollowParts): AsyncGenerator<StreamEvent> {
  let line = after;
  let told = '';
  while (!parts.signal.aborted) {
    // Listening begins before the look, so that nothing falls in between.
    const changed = parts.change();
    const found = await parts.news(line).catch(unlessAway);
    for (const { line: number, ...entry } of found?.lines ?? []) {
      line = number;
      yield { event: 'log', id: writeEventID({ line, end: false }), data: entry };
    }
    if (!found) yield undefined;
    // There may be more lines, and the end is the last thing that is told.
    if (found && found.lines.length > 0) continue;
    if (found) {
      const end = hasEnded(found.body);
      const body = JSON.stringify(found.body);
      if (body !== told) yield { event: 'status', id: writeEventID({ line, end }), data: found.body };
      told = body;
      if (end) return;
    }
    await changed;
  }
}

export function hasEnded(body: InstanceBody): boolean {
  return 'finishedAt' in body;
}

function unlessAway(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') throw error;
}
