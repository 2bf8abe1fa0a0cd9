import { environmentFacts } from '@batuta/catalog';
import type { AuditEvent, HistoryItem, InstanceBody, InstanceNews, LogLine, Viewer } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Injectable } from '@nestjs/common';
import { DateTime } from 'luxon';
import { responseOf } from '../answers/answer.repository';
import { ZONE } from '../credits/period';
import { newestAuditEvents } from './audit.repository';
import { toHistoryItem, toInstanceBody, toLogLine } from './instance-body';
import type { InstanceRow } from './instance-row';
import { countAhead, findVisible, history, newestLines, newestOf, nextLines } from './instance.repository';

const MAX_LINES = 1_000;

/** Reads status, logs, history and audit events for callers (contract 4.7, 4.9, 4.11). */
@Injectable()
export class InstanceQueryService {
  constructor(private readonly store: Store) {}

  async instance(instanceID: string, viewer: Viewer): Promise<InstanceBody> {
    return this.body(await this.visible(instanceID, viewer));
  }

  /** The instance is read before its lines, so that the body of an ended instance comes with the last line. */
  async news(instanceID: string, viewer: Viewer, after: number, limit: number): Promise<InstanceNews> {
    const row = await this.visible(instanceID, viewer);
    const lines = await nextLines(this.store, instanceID, Math.min(limit, MAX_LINES), after);
    return {
      body: await this.body(row),
      lines: lines.map((line) => ({ line: line.line, ...toLogLine(line, row) })),
    };
  }

  async logs(instanceID: string, viewer: Viewer, limit: number, after = 0): Promise<LogLine[]> {
    const row = await this.visible(instanceID, viewer);
    const lines = await newestLines(this.store, instanceID, Math.min(limit, MAX_LINES), after);
    return lines.map((line) => toLogLine(line, row));
  }

  /** `from` and `to` are inclusive days in America/Sao_Paulo (interpretation 8). */
  async history(processID: string, from: string, to: string, limit: number): Promise<HistoryItem[]> {
    const rows = await history(this.store, processID, dayStart(from, 0), dayStart(to, 1), limit);
    return rows.map(toHistoryItem);
  }

  async newest(processID: string, limit: number, startedBy?: string): Promise<InstanceBody[]> {
    return (await newestOf(this.store, processID, limit, startedBy)).map(toInstanceBody);
  }

  async audit(processID: string, limit: number, startedBy?: string): Promise<AuditEvent[]> {
    return (await newestAuditEvents(this.store, processID, limit, startedBy)).map((row) => ({
      at: row.created_at.toISOString(),
      action: row.action,
      instanceID: row.instance_id,
      executor: row.executor,
      accountID: row.account_id,
      detail: JSON.parse(row.detail),
    }));
  }

  /** How many instances of the environment or process have not ended (interpretation 47). */
  async inUse({ environmentID, processID }: { environmentID?: string; processID?: string }): Promise<number> {
    const [column, id] = environmentID === undefined ? ['process_id', processID] : ['environment_id', environmentID];
    const row = await this.store.row<{ active: number }>(
      `SELECT COUNT(*) AS active FROM instance WHERE ${column} = ? AND status IN ('queued', 'unknown', 'running')`,
      [id],
    );
    return row?.active ?? 0;
  }

  /** A queued instance shows its position, and one that answered its webhook caller shows the answer. */
  private async body(row: InstanceRow): Promise<InstanceBody> {
    if (row.status === 'queued') return this.withQueue(row);
    const response = row.awaited === 1 ? await responseOf(this.store, row.instance_id) : undefined;
    return { ...toInstanceBody(row), ...(response && { response }) };
  }

  private async withQueue(row: InstanceRow): Promise<InstanceBody> {
    const [environments, ahead] = await Promise.all([
      environmentFacts(this.store, [row.environment_id]),
      countAhead(this.store, row),
    ]);
    const online = environments.get(row.environment_id)?.online ?? false;
    return { ...toInstanceBody(row), queue: { position: ahead + 1, reason: online ? 'AGENT_BUSY' : 'AGENT_OFFLINE' } };
  }

  private async visible(instanceID: string, { accountID }: Viewer): Promise<InstanceRow> {
    const row = await findVisible(this.store, instanceID, accountID);
    if (!row) throw new ApiError('INSTANCE_NOT_FOUND');
    return row;
  }
}

function dayStart(day: string, daysLater: number): Date {
  return DateTime.fromISO(day, { zone: ZONE }).plus({ days: daysLater }).startOf('day').toJSDate();
}
