import { answerTo, BatutaError, EVENT_STREAM, followEvents, type ControlAction, type OpenStream } from '@batuta/client';
import type { ConsoleClient } from '@batuta/process-files';
import type { Context } from '../context';
import type { RunBody, RunEvent, LogLine, RunClient } from './run-client';

/** The most lines in one answer of the console. */
const MAX_PAGE_LINES = 1_000;

/** Runs that the account of the login session may see. Its constructor throws what `Context.console` throws. */
export class ConsoleRuns implements RunClient {
  private readonly console: ConsoleClient;

  constructor({ console }: Context) {
    this.console = console;
  }

  status(iid: string, signal?: AbortSignal): Promise<RunBody> {
    return answerTo(this.console.GET('/manage/v1/instances/{iid}', { params: { path: { iid } }, signal }));
  }

  async logs(iid: string, limit: number): Promise<LogLine[]> {
    const lines: LogLine[] = [];
    let next: { before?: number } | undefined = {};
    while (next && lines.length < limit) {
      const query: { before?: number; limit: number } = {
        ...next,
        limit: Math.min(limit - lines.length, MAX_PAGE_LINES),
      };
      const page = await this.page(iid, query);
      lines.unshift(...page.logs);
      next = page.older;
    }
    return lines;
  }

  events(iid: string, signal: AbortSignal): AsyncIterable<RunEvent> {
    const open: OpenStream = async (last, streamSignal) => {
      const headers = { accept: EVENT_STREAM, ...(last !== undefined && { 'Last-Event-ID': last }) };
      const init = { params: { path: { iid } }, headers, parseAs: 'stream', signal: streamSignal } as const;
      const { response, error } = await this.console.GET('/manage/v1/instances/{iid}/events', init);
      if (!response.ok) throw BatutaError.of(response, error);
      return response;
    };
    return followEvents(open, { signal });
  }

  async control(iid: string, action: ControlAction): Promise<void> {
    await answerTo(this.console.POST('/manage/v1/instances/{iid}/{action}', { params: { path: { iid, action } } }));
  }

  private page(iid: string, query: { after?: number; before?: number; limit?: number }) {
    return answerTo(this.console.GET('/manage/v1/instances/{iid}/logs', { params: { path: { iid }, query } }));
  }
}
