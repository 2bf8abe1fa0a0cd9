import { recordAction, type ManagementAction } from '@batuta/audit';
import type { Mapping, MappingEntry, OnBehalf } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';
import { redactCaptures } from '../masking/redaction';
import { lockEditPermission } from '../origins/edit-permission';
import { auditFieldsOf, lockOrigin } from '../origins/origin.repository';
import { requireValidEntries, isSameMapping } from './mapping-entries';
import * as mappings from './mapping.repository';
import type { OriginMapping } from './mapping.repository';

/**
 * The mapping of an origin: drafted, saved, and published with a version (contract 2.10). Each change writes an audit event, and throws what
 * `lockEditPermission` throws.
 */
@Injectable()
export class MappingService {
  constructor(private readonly store: Store) {}

  /** Throws NOT_FOUND for an unknown origin. */
  async find(originID: string): Promise<Mapping> {
    return toMapping(await mappings.findMapping(this.store, originID));
  }

  /** Stores the draft of a mapping; one that equals the saved mapping removes the draft. Throws BAD_REQUEST as `requireValidEntries` does. */
  replaceDraft(originID: string, entries: MappingEntry[], by: OnBehalf): Promise<Mapping> {
    return this.change(originID, by, 'mapping.draft', async (tx, { processID, saved }) => {
      requireValidEntries(entries, await mappings.findVariableIDs(tx, processID));
      await mappings.replaceDraft(tx, originID, isSameMapping(entries, saved) ? null : entries);
    });
  }

  /**
   * Saves the draft, if there is one; it takes effect with the next publication. The same commit redacts, in the stored captures, values that are
   * mapped to a Secreto, also by a mapping that the draft replaces: its variable may have become a Secreto since it was saved.
   */
  save(originID: string, by: OnBehalf): Promise<Mapping> {
    return this.change(originID, by, 'mapping.save', async (tx, before) => {
      await mappings.promoteDraft(tx, originID);
      await redactCaptures(tx, before);
    });
  }

  /** The origin's lock serializes changes with each other, with publication, and with the storing of captures. */
  private change(
    originID: string,
    by: OnBehalf,
    action: ManagementAction,
    write: (tx: Store, before: OriginMapping) => Promise<void>,
  ): Promise<Mapping> {
    return this.store.transaction(async (tx) => {
      await lockEditPermission(tx, originID, by);
      await lockOrigin(tx, originID);
      await write(tx, await mappings.findMapping(tx, originID));
      recordAction(tx, { action, ...(await auditFieldsOf(tx, originID)) });
      return toMapping(await mappings.findMapping(tx, originID));
    });
  }
}

function toMapping({ unsaved, saved, published }: OriginMapping): Mapping {
  return { unsaved, saved, published };
}
