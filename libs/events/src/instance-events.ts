import type { InstanceBody, InstanceNews } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { writeEventID } from './event-id';

/** One server-sent event. A `heartbeat` carries no news; it lets a client notice a dead connection. */
export type StreamEvent = { event: 'log' | 'status'; id: string; data: unknown } | { event: 'heartbeat' };

export interface InstanceSource {
  /** The body of the instance and a page of its log lines after the given line; UNAVAILABLE and RATE_LIMITED are retried. */
  news(afterLine: number): Promise<InstanceNews>;
  /** Resolves when there is room in memory for a page; call `release` when the page is no longer needed. Rejects when `signal` aborts. */
  admitPage(): Promise<{ release(): void }>;
  /** Resolves when the instance may have changed since the call, at the latest after a time limit, or when `signal` aborts. */
  waitForChange(): Promise<void>;
  signal: AbortSignal;
}

/**
 * The events of an instance until its end, or until `signal` aborts: each log line after `afterLine` in order, the body once no line is
 * left and again whenever it has changed, and otherwise heartbeats. A page is read only after all events of the previous one are taken.
 * While `news` fails with UNAVAILABLE or RATE_LIMITED, only heartbeats are sent. Throws any other error of `news`.
 */
export async function* instanceEvents(afterLine: number, source: InstanceSource): AsyncGenerator<StreamEvent> {
  let line = afterLine;
  let sentBody = '';
  while (!source.signal.aborted) {
    // The wait begins before the poll, so that a change between the two is not missed.
    const changed = source.waitForChange();
    const page = await source.admitPage().catch(() => undefined);
    if (!page) return;
    let body: InstanceBody | undefined;
    let lines = 0;
    try {
      const found = await source.news(line).catch(undefinedWhenBusy);
      for (const { line: number, ...entry } of found?.lines ?? []) {
        line = number;
        yield { event: 'log', id: writeEventID({ line, end: false }), data: entry };
        if (source.signal.aborted) return;
      }
      lines = found?.lines.length ?? 0;
      body = found?.body;
    } finally {
      page.release();
    }
    // A poll returns a limited number of lines, and all lines come before the end.
    if (body && lines > 0) continue;
    const text = JSON.stringify(body ?? null);
    if (body && text !== sentBody) {
      const end = hasEnded(body);
      yield { event: 'status', id: writeEventID({ line, end }), data: body };
      sentBody = text;
      if (end) return;
    } else {
      yield { event: 'heartbeat' };
    }
    await changed;
  }
}

/** Whether the instance has ended, as its body says. */
export function hasEnded(body: InstanceBody): boolean {
  return 'finishedAt' in body;
}

function undefinedWhenBusy(error: unknown): undefined {
  const busy = error instanceof ApiError && (error.code === 'UNAVAILABLE' || error.code === 'RATE_LIMITED');
  if (!busy) throw error;
}
