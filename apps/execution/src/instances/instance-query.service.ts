import { missingAbilitiesPhrase } from '@batuta/agent-protocol';
import { connectedAbilities, environmentFacts } from '@batuta/catalog';
import {
  LAST_QUEUE_POSITION,
  MAX_COUNTED_INSTANCES,
  type AuditEvent,
  type HistoryItem,
  type InstanceBody,
  type InstanceNews,
  type InstanceInProgress,
  type LogPage,
  type LogRequest,
  type Viewer,
} from '@batuta/contracts';
import { Store } from '@batuta/database';
import { readNeeds } from '@batuta/flow';
import { Injectable } from '@nestjs/common';
import { DateTime } from 'luxon';
import { VersionNeeds } from '../abilities/version-needs';
import { CALENDAR_TIME_ZONE } from '../credits/credit-period';
import { historyPositionOf, pageOfHistory, type HistoryPosition } from './history.repository';
import { toHistoryItem, toInstanceBody, toLogLine } from './instance-body';
import { instanceNotFound } from './instance-not-found';
import type { InstanceRow } from './instance-row';
import { newestEventIDs, readEvents } from './audit-trail.repository';
import {
  countAhead,
  findVisibleInstance,
  newestInstancePositions,
  instancesNewestFirst,
  responseOf,
} from './instance.repository';
import { LogQueryService } from './log-query.service';

/** The last time that the database can compare with; later days are cut to it. */
const LAST_TIME = new Date('9999-12-31T23:59:59.999Z');

/**
 * Reads status, logs, history and audit events for callers (contract 4.7, 4.9, 4.11). Methods with a viewer throw INSTANCE_NOT_FOUND also when
 * the viewer may not see the instance; the other ones leave the check of the caller to the gateway and the console.
 */
@Injectable()
export class InstanceQueryService {
  constructor(
    private readonly store: Store,
    private readonly logLines: LogQueryService,
    private readonly needs: VersionNeeds,
  ) {}

  async instance(instanceID: string, viewer: Viewer): Promise<InstanceBody> {
    return this.body(await this.requireVisible(instanceID, viewer));
  }

  /**
   * The instance and its next log lines. `knownPosition` = the position in the queue, which is then not counted. The instance is read before its
   * lines, so that all lines of an ended instance exist when they are read.
   */
  async news(
    instanceID: string,
    viewer: Viewer,
    { knownPosition, ...page }: { after: number; limit: number; bytes?: number; knownPosition?: number },
  ): Promise<InstanceNews> {
    const row = await this.requireVisible(instanceID, viewer);
    const lines = await this.logLines.next(row, viewer.accountID, page);
    return {
      body: await this.body(row, knownPosition),
      lines: lines.map((line) => ({ line: line.line, ...toLogLine(line, row) })),
    };
  }

  async logs(request: LogRequest): Promise<LogPage> {
    return this.logLines.page(await this.requireVisible(request.instanceID, request.viewer), request);
  }

  /**
   * `from` and `to` are inclusive days in America/Sao_Paulo (interpretation 8). Without `beforeTime`, the page is empty when `before` names
   * an instance that the history does not have.
   */
  async history(
    processID: string,
    page: { from: string; to: string; limit: number; before?: string; beforeTime?: string },
  ): Promise<{ executions: HistoryItem[]; older?: { before: string } }> {
    const { from, to, limit, before } = page;
    const last = await this.positionBefore(processID, page);
    if (before !== undefined && !last) return { executions: [] };
    const days = { from: dayStart(from, 0), until: dayStart(to, 1) };
    const rows = await pageOfHistory(this.store, processID, { ...days, last, count: limit + 1 });
    const executions = rows.slice(0, limit).map(toHistoryItem);
    const oldest = executions.at(-1);
    return { executions, ...(rows.length > limit && oldest && { older: { before: oldest.instanceID } }) };
  }

  /**
   * The position after which the page begins. `beforeTime` is the `startedAt` of the instance `before`, which retention may have deleted while
   * instances further back, which ended later, are still there.
   */
  private async positionBefore(
    processID: string,
    { before, beforeTime }: { before?: string; beforeTime?: string },
  ): Promise<HistoryPosition | undefined> {
    if (before === undefined) return undefined;
    if (beforeTime !== undefined) return { instance_id: before, history_at: new Date(beforeTime) };
    return historyPositionOf(this.store, processID, before);
  }

  /** Instances of the process, newest first, with the cursor of the next page if there are more. */
  async newestInstances(
    processID: string,
    page: { limit: number; before?: string; beforeTime?: string; startedBy?: string },
  ): Promise<{ instances: InstanceBody[]; older?: { before: string }; olderTime?: string }> {
    const { positions, more } = await newestInstancePositions(this.store, processID, page);
    const ids = positions.map((position) => position.instance_id);
    const instances = (await instancesNewestFirst(this.store, ids)).map(toInstanceBody);
    const last = positions.at(-1);
    if (!more || !last) return { instances };
    return { instances, older: { before: last.instance_id }, olderTime: last.accepted_at.toISOString() };
  }

  /** Audit events of the process, newest first, with the cursor of the next page if there are more. */
  async newestAuditEvents(
    processID: string,
    page: { limit: number; before?: number; startedBy?: string },
  ): Promise<{ events: AuditEvent[]; older?: { before: number } }> {
    const { ids, more } = await newestEventIDs(this.store, processID, page);
    const events = await readEvents(this.store, ids, page.startedBy);
    const last = ids.at(-1);
    return { events, ...(more && last !== undefined && { older: { before: last } }) };
  }

  /**
   * How many instances of the environment or process are active (interpretation 47), at most `MAX_COUNTED_INSTANCES`, without those that a
   * cancellation of the queue is about to end.
   */
  async countActive({ environmentID, processID }: { environmentID?: string; processID?: string }): Promise<number> {
    // No index has process and status. That of the history leads to the instances which the history does not show: the active ones, and
    // debug runs that have ended.
    const [condition, id] =
      environmentID === undefined
        ? ['process_id = ? AND history_at IS NULL', processID]
        : ['environment_id = ?', environmentID];
    const row = await this.store.row<{ active: number }>(
      `SELECT COUNT(*) AS active FROM (SELECT 1 FROM instance LEFT JOIN queue_cancellation USING (environment_id)
          WHERE ${condition} AND (status IN ('unknown', 'running')
             OR status = 'queued' AND (cancel_before IS NULL OR accepted_at >= cancel_before)) LIMIT ?) some`,
      [id, MAX_COUNTED_INSTANCES],
    );
    return row?.active ?? 0;
  }

  /** A queued instance shows its position, and one that answered its webhook caller shows the answer. */
  private async body(row: InstanceRow, knownPosition?: number): Promise<InstanceBody> {
    if (row.status === 'queued') return this.withQueue(row, knownPosition);
    const response = row.awaited === 1 ? await responseOf(this.store, row.instance_id) : undefined;
    return { ...toInstanceBody(row), ...(response && { response }) };
  }

  private async withQueue(row: InstanceRow, knownPosition?: number): Promise<InstanceBody> {
    const [position, reason] = await Promise.all([knownPosition ?? this.positionOf(row), this.whyQueued(row)]);
    return { ...toInstanceBody(row), queue: { position, ...reason } };
  }

  private async positionOf(row: InstanceRow): Promise<number> {
    return 1 + (await countAhead(this.store, row, LAST_QUEUE_POSITION - 1));
  }

  /** Why the instance is queued at the moment of the query (interpretation 56). */
  private async whyQueued(row: InstanceRow): Promise<Omit<NonNullable<InstanceInProgress['queue']>, 'position'>> {
    const { environment_id: environmentID, version_id: versionID } = row;
    const [environments, agents, versions] = await Promise.all([
      environmentFacts(this.store, [environmentID]),
      connectedAbilities(this.store, [environmentID]),
      row.needs === null ? this.needs.load(this.store, [versionID]) : undefined,
    ]);
    const [environment, connected] = [environments.get(environmentID), agents.get(environmentID)];
    if (!environment?.online || !connected) return { reason: 'AGENT_OFFLINE' };
    const needs = readNeeds(row.needs ?? versions?.get(versionID) ?? '');
    const missing = missingAbilitiesPhrase(environment.name, connected, needs);
    return missing === undefined ? { reason: 'AGENT_BUSY' } : { reason: 'ABILITY_MISSING', message: `${missing}.` };
  }

  /** Throws INSTANCE_NOT_FOUND also when the viewer may not see the instance. */
  private async requireVisible(instanceID: string, { accountID }: Viewer): Promise<InstanceRow> {
    const row = await findVisibleInstance(this.store, instanceID, accountID);
    if (!row) throw instanceNotFound();
    return row;
  }
}

function dayStart(day: string, daysLater: number): Date {
  const start = DateTime.fromISO(day, { zone: CALENDAR_TIME_ZONE }).plus({ days: daysLater }).startOf('day').toJSDate();
  return start < LAST_TIME ? start : LAST_TIME;
}
