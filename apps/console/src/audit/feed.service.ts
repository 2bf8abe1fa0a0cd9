import { FEED_LAG_SECONDS } from '@batuta/audit';
import { execution, type AuditFeedEvent } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { toEventAnswer } from './event-answer';
import { withoutForeignAccounts } from './foreign-accounts.repository';
import { FEED_BEGIN, readFeedCursor, writeFeedCursor, type FeedPosition } from './feed-cursor';
import type { AuditFeedItem, AuditFeedPage, AuditFeedQuery } from './feed.dto';
import { readManagementFeed } from './management-feed.repository';
import type { ManagementEventRow } from './management-events.repository';

/** An event with the position, in its own source, that a reader has reached after it. */
interface PlacedItem {
  item: AuditFeedItem;
  position: Partial<FeedPosition>;
}

/** Events of one source. `more` = further events follow these; then `items` is not empty. */
interface SourcePage {
  items: PlacedItem[];
  more: boolean;
}

/** The feed of the audit trail: the events of management, which this service keeps, and those of instances, which execution keeps. */
@Injectable()
export class AuditFeedService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
  ) {}

  /**
   * A page of the events of a company, or of all companies when `companyID` is null. Throws BAD_REQUEST for a text in
   * `after` that is no cursor.
   */
  async page(companyID: string | null, { after, limit }: AuditFeedQuery): Promise<AuditFeedPage> {
    const begin = after === undefined ? FEED_BEGIN : readFeedCursor(after);
    const [management, instances] = await Promise.all([
      readManagementFeed(this.store, { companyID, after: begin.management, limit }),
      this.rpc.call(execution.auditFeed, { ...(companyID !== null && { companyID }), after: begin.instances, limit }),
    ]);
    const events =
      companyID === null ? instances.events : await withoutForeignAccounts(this.store, instances.events, companyID);
    const merged = merge(
      { items: management.rows.map((row) => toManagementItem(row, companyID)), more: management.more },
      { items: events.map(toInstanceItem), more: instances.more },
    );
    const page = merged.slice(0, limit);
    const next: FeedPosition = page.reduce((reached, { position }) => ({ ...reached, ...position }), begin);
    return {
      events: page.map(({ item }) => item),
      next: writeFeedCursor(next),
      more: merged.length > page.length || management.more || instances.more,
      lagSeconds: FEED_LAG_SECONDS,
    };
  }
}

/**
 * Merges both sources by time. Each source keeps its own order even where its times are slightly out of order, because its cursor
 * follows that order. The page ends with the last event of a source that has more: its next event may be earlier than the rest of the other.
 */
function merge(left: SourcePage, right: SourcePage): PlacedItem[] {
  const merged: PlacedItem[] = [];
  let [l, r] = [0, 0];
  for (;;) {
    const [first, second] = [left.items[l], right.items[r]];
    if ((!first && left.more) || (!second && right.more)) return merged;
    if (!first || !second) return [...merged, ...left.items.slice(l), ...right.items.slice(r)];
    const isFirst = first.item.at <= second.item.at;
    merged.push(isFirst ? first : second);
    if (isFirst) l += 1;
    else r += 1;
  }
}

function toManagementItem(row: ManagementEventRow, viewerCompanyID: string | null): PlacedItem {
  const { id, at, action, processID, object, by, address, requestID, detail } = toEventAnswer(row, viewerCompanyID);
  const ofOtherSource = { instanceID: null, executor: null, accountID: null };
  const own = { id, at, action, processID, object, by, address, requestID, detail };
  const item: AuditFeedItem = { source: 'management', companyID: row.company_id, ...own, ...ofOtherSource };
  return { item, position: { management: row.event_id } };
}

function toInstanceItem({ id, ...event }: AuditFeedEvent): PlacedItem {
  const item: AuditFeedItem = {
    source: 'instance',
    id: String(id),
    object: null,
    by: null,
    address: null,
    requestID: null,
    ...event,
  };
  return { item, position: { instances: id } };
}
