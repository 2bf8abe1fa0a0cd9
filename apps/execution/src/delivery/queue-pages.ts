import type { Abilities } from '@batuta/agent-protocol';
import type { Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';
import { canRun, MixedQueues } from '../abilities/mixed-queues';
import {
  findOtherNeeds,
  lockOldestNeeding,
  lockOldestWithInput,
  type QueuedRow,
} from '../instances/instance.repository';

/** A page of a queue: its oldest instances after a given row, locked. */
export interface QueuePage {
  /** Instances that the agent can run according to their rows, oldest first. */
  rows: QueuedRow[];
  /** The row after which the next page begins. */
  last: QueuedRow | undefined;
  /**
   * True when no unlocked instance that the agent can run comes after the page, except some with needs beyond MAX_NEEDS_LOOKUPS; false also when
   * that is not certain.
   */
  atEnd: boolean;
  /**
   * Rows that were locked but are not in `rows`: `unfit` ones that the agent cannot run, or `fit` ones for which the
   * page had no room.
   */
  lockedMore: 'unfit' | 'fit' | undefined;
}

/**
 * Maximum number of look-ups for needs that are not yet known, for one page; each takes a round trip to the database.
 * Instances with further needs may wait for a later claim.
 */
const MAX_NEEDS_LOOKUPS = 200;

/**
 * Reads queues page by page. Usually every agent can run everything, and a page is the oldest instances. Once a claim
 * has met an instance that its agent cannot run, a page merges the instances of each fitting list of needs, so that
 * neither time nor locks are spent on instances for other agents.
 */
@Injectable()
export class QueuePages {
  constructor(private readonly mixed: MixedQueues) {}

  /** The next page after the row `after`, or the first page if it is undefined; a page has at most `size` rows. */
  async read(
    tx: Store,
    environmentID: string,
    abilities: Abilities,
    size: number,
    after: QueuedRow | undefined,
  ): Promise<QueuePage> {
    if (this.mixed.isMixedFor(environmentID, abilities))
      return this.readFitting(tx, environmentID, abilities, size, after);
    const all = await lockOldestWithInput(tx, environmentID, size, after);
    const rows = all.filter(({ needs }) => needs === null || canRun(abilities, needs));
    if (rows.length < all.length) for (const { needs } of all) this.addNeeds(environmentID, needs);
    const lockedMore = rows.length < all.length ? 'unfit' : undefined;
    return { rows, last: all.at(-1), atEnd: all.length < size, lockedMore };
  }

  /** Adds `needs` to the different needs of a queue in which not every agent can run everything. */
  addNeeds(environmentID: string, needs: string | null): void {
    if (needs !== null) this.mixed.addNeeds(environmentID, needs);
  }

  private async readFitting(
    tx: Store,
    environmentID: string,
    abilities: Abilities,
    size: number,
    after: QueuedRow | undefined,
  ): Promise<QueuePage> {
    const [other, known] = await this.readKnown(tx, environmentID, abilities, size, after);
    let found = known;
    if (other !== undefined) {
      await this.loadOtherNeeds(tx, environmentID, other);
      [, found] = await this.readKnown(tx, environmentID, abilities, size, after);
    }
    const rows = found.toSorted(byAge).slice(0, size);
    const lockedMore = found.length > size ? 'fit' : undefined;
    return { rows, last: rows.at(-1), atEnd: found.length < size, lockedMore };
  }

  /**
   * Reads, in one round trip, the rows with each known list of needs that the agent covers, and one list of needs that
   * is not known yet.
   */
  private async readKnown(
    tx: Store,
    environmentID: string,
    abilities: Abilities,
    size: number,
    after: QueuedRow | undefined,
  ): Promise<[other: string | undefined, rows: QueuedRow[]]> {
    const known = this.mixed.needsIn(environmentID);
    const fitting = [null, ...known.filter((needs) => canRun(abilities, needs))];
    const [other, ...found] = await Promise.all([
      findOtherNeeds(tx, environmentID, known),
      ...fitting.map((needs) => lockOldestNeeding(tx, environmentID, needs, size, after)),
    ]);
    return [other, found.flat()];
  }

  private async loadOtherNeeds(tx: Store, environmentID: string, first: string): Promise<void> {
    let other: string | undefined = first;
    for (let met = 0; other !== undefined && met < MAX_NEEDS_LOOKUPS; met += 1) {
      this.mixed.addNeeds(environmentID, other);
      other = await findOtherNeeds(tx, environmentID, this.mixed.needsIn(environmentID));
    }
  }
}

function byAge(a: QueuedRow, b: QueuedRow): number {
  const milliseconds = a.accepted_at.getTime() - b.accepted_at.getTime();
  if (milliseconds !== 0) return milliseconds;
  return a.instance_id < b.instance_id ? -1 : 1;
}
