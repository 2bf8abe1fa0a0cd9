import type { LogPage, LogRequest } from '@batuta/contracts';
import { PAGE_BYTES, PageBudget, Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';
import { toLogLine } from './instance-body';
import type { InstanceRow, LogRow } from './instance-row';
import { newestPage, oldestPage, readLines, type LinePage, type LineWindow } from './log.repository';

const MAX_PAGE_LINES = 1_000;
/** A number greater than every line number. */
const MAX_LINE_NUMBER = 2_147_483_647;

interface LogPart {
  page?: LinePage;
  older?: LogPage['older'];
  newer?: LogPage['newer'];
}

/**
 * Reads log lines in pages of bytes (contract 4.11, interpretation 9b). The sizes of lines are read before the lines, so that no
 * query reads more lines than a page has.
 */
@Injectable()
export class LogQueryService {
  private readonly pages = new PageBudget();

  constructor(private readonly store: Store) {}

  /** With `after`, the oldest lines after that number; otherwise the newest ones before `before`. `limit` is cut to MAX_PAGE_LINES. */
  async page(instance: InstanceRow, { viewer, limit, after, before = MAX_LINE_NUMBER }: LogRequest): Promise<LogPage> {
    const lines = Math.min(limit, MAX_PAGE_LINES);
    const window = { after: after ?? 0, before };
    const { page, older, newer } = await (after === undefined
      ? this.newestPart(instance.instance_id, window, lines)
      : this.oldestPart(instance.instance_id, window, lines));
    const logs = await this.read(instance, viewer.accountID, page);
    return { logs: logs.map((line) => toLogLine(line, instance)), ...(older && { older }), ...(newer && { newer }) };
  }

  /** The oldest lines after a line number: at most `limit` and MAX_PAGE_LINES, and about `bytes`, which PAGE_BYTES bounds. */
  async next(
    instance: InstanceRow,
    accountID: string,
    { after, limit, bytes = PAGE_BYTES }: { after: number; limit: number; bytes?: number },
  ): Promise<LogRow[]> {
    if (limit < 1) return [];
    const limits = { rows: Math.min(limit, MAX_PAGE_LINES), bytes: Math.min(bytes, PAGE_BYTES) };
    const page = await oldestPage(this.store, instance.instance_id, { after, before: MAX_LINE_NUMBER }, limits);
    return this.read(instance, accountID, page);
  }

  private async newestPart(instanceID: string, window: LineWindow, lines: number): Promise<LogPart> {
    const page = await newestPage(this.store, instanceID, window, { rows: lines, bytes: PAGE_BYTES });
    return { page, ...(page?.more && { older: { before: page.first } }) };
  }

  /** The oldest lines after the one that the caller has, so that a caller who reads on gets every line up to the end of the log. */
  private async oldestPart(instanceID: string, window: LineWindow, lines: number): Promise<LogPart> {
    const page = await oldestPage(this.store, instanceID, window, { rows: lines, bytes: PAGE_BYTES });
    return { page, ...(page?.more && { newer: { after: page.last } }) };
  }

  private async read({ instance_id: instanceID }: InstanceRow, accountID: string, page?: LinePage): Promise<LogRow[]> {
    return page ? this.pages.read(accountID, page.bytes, () => readLines(this.store, instanceID, page)) : [];
  }
}
