import type { Mapping, MappingEntry } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';
import { redactCaptures } from '../captures/redaction';
import { lock } from '../origins/origin.repository';
import { noSuchOrigin } from '../origins/removal';
import { requireEntries, sameMapping } from './entries';
import * as mappings from './mapping.repository';
import type { OriginMapping } from './mapping.repository';

/** Contract 2.10: the mapping of an origin on its way from draft over saved to published. */
@Injectable()
export class MappingService {
  constructor(private readonly store: Store) {}

  async find(originID: string): Promise<Mapping> {
    return shown(await this.known(this.store, originID));
  }

  /** Throws BAD_REQUEST naming the entry that cannot be kept. */
  draft(originID: string, entries: MappingEntry[]): Promise<Mapping> {
    return this.changed(originID, async (tx, { processID, saved }) => {
      requireEntries(entries, await mappings.variableIDs(tx, processID));
      await mappings.saveDraft(tx, originID, sameMapping(entries, saved) ? null : entries);
    });
  }

  /** What is mapped to a Secreto from now on is gone from the captures with the same commit. */
  save(originID: string): Promise<Mapping> {
    return this.changed(originID, async (tx) => {
      await mappings.promoteDraft(tx, originID);
      await redactCaptures(tx, await this.known(tx, originID));
    });
  }

  /** One change at a time: the same lock is taken by publishing, and by what stores a capture. */
  private changed(originID: string, write: (tx: Store, before: OriginMapping) => Promise<void>): Promise<Mapping> {
    return this.store.transaction(async (tx) => {
      if (!(await lock(tx, originID))) throw noSuchOrigin();
      await write(tx, await this.known(tx, originID));
      return shown(await this.known(tx, originID));
    });
  }

  private async known(store: Store, originID: string): Promise<OriginMapping> {
    const mapping = await mappings.find(store, originID);
    if (!mapping) throw noSuchOrigin();
    return mapping;
  }
}

function shown({ unsaved, saved, published }: OriginMapping): Mapping {
  return { unsaved, saved, published };
}
