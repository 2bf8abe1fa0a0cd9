import { recordAction } from '@batuta/audit';
import { mintSecret } from '@batuta/auth';
import { idAfter, lockPermission, lockProcessInShareMode, requireRoom } from '@batuta/catalog';
import type { OnBehalf, Origin, OriginDraft } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { KeyRing } from '@batuta/secrets';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { lockEditPermission } from './edit-permission';
import * as origins from './origin.repository';
import type { OriginColumns, OriginRow } from './origin.repository';
import { removeOrphanedOrigins } from './orphaned-origins';
import { sealSignature, sealToken, unsealSignature, unsealToken, URL_KINDS, type UrlKind } from './sealed-columns';
import { requireUsableRule } from './signature-rule';

/** Maximum number of origins of a process (contract 8). */
const MAX_ORIGINS = 10;

/** The origins of a process: sources of webhook calls, each with a development and a production URL (contract 2.10). */
@Injectable()
export class OriginService {
  constructor(
    private readonly store: Store,
    private readonly keys: KeyRing,
    @Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'QUOTA_ORIGINS'>,
  ) {}

  /** Oldest first, with the tokens of their URLs; none for an unknown process. */
  async listOfProcess(processID: string): Promise<Origin[]> {
    return (await origins.findOriginsOfProcess(this.store, processID)).map((row) => this.toOrigin(row));
  }

  /** Throws NOT_FOUND. */
  async find(id: string, store = this.store): Promise<Origin> {
    const row = await origins.findOrigin(store, id);
    if (!row) throw origins.noSuchOrigin();
    return this.toOrigin(row);
  }

  /** The origin that stored the capture. Throws NOT_FOUND. */
  async findByCapture(captureID: string): Promise<Origin> {
    const row = await origins.findOriginOfCapture(this.store, captureID);
    if (!row) throw new ApiError('NOT_FOUND', 'No such capture.');
    return this.toOrigin(row);
  }

  /**
   * Throws CONFLICT above MAX_ORIGINS, QUOTA_EXCEEDED, BAD_REQUEST for an unusable signature rule, and what `lockPermission` throws. Here and
   * below: `by` = the account that must still have the permission `edit`. A request of the previous release names none; its permission is not
   * checked again, because the console has checked it.
   */
  async create(processID: string, draft: OriginDraft, by: OnBehalf): Promise<Origin> {
    if (draft.signature) requireUsableRule(draft.signature);
    const { accountID, sessionHash } = by;
    return this.store.transaction(async (tx) => {
      const companyID = await origins.companyOf(tx, processID);
      // Locks the company until the commit, so that replicas create its origins one at a time.
      await requireRoom(tx, companyID, 'origins', this.config.QUOTA_ORIGINS);
      if (accountID === undefined) await lockProcessInShareMode(tx, processID);
      else await lockPermission(tx, { accountID, sessionHash }, processID, 'edit');
      const existing = await origins.lockOriginIDs(tx, processID);
      if (existing.length >= MAX_ORIGINS) throw tooManyOrigins();
      const id = idAfter(existing.at(-1));
      await origins.insertOrigin(tx, id, processID, this.columns(id, draft));
      for (const kind of URL_KINDS) await this.createToken(tx, id, kind);
      recordAction(tx, { action: 'origin.add', objectID: id, companyID, processID, detail: { name: draft.name } });
      return this.find(id, tx);
    });
  }

  /**
   * Changes the given fields; `signature: null` removes the rule. Throws BAD_REQUEST for an unusable signature rule, and what `lockEditPermission`
   * throws. Writes an audit event.
   */
  async change(id: string, change: Partial<OriginDraft>, by: OnBehalf): Promise<Origin> {
    const columns = this.columns(id, change);
    return this.store.transaction(async (tx) => {
      await lockEditPermission(tx, id, by);
      await origins.changeOrigin(tx, id, columns);
      const auditFields = await origins.auditFieldsOf(tx, id);
      recordAction(tx, {
        action: 'origin.change',
        ...auditFields,
        detail: { ...auditFields.detail, changed: Object.keys(change) },
      });
      return this.find(id, tx);
    });
  }

  /** Removes the origin with its URLs, mapping and captures; writes an audit event. Throws what `lockEditPermission` throws. */
  remove(id: string, by: OnBehalf): Promise<void> {
    return this.store.transaction(async (tx) => {
      await lockEditPermission(tx, id, by);
      recordAction(tx, { action: 'origin.delete', ...(await origins.auditFieldsOf(tx, id)) });
      await origins.removeOrigin(tx, id);
    });
  }

  /** Removes the origins of the process if it was deleted. */
  async removeOrphans(processID: string): Promise<void> {
    await removeOrphanedOrigins(this.store, processID);
  }

  /** The commit that adds the new URL revokes the old one (contract 5 rule 6). Returns the origin with the URL that this call made. */
  async rotate(id: string, kind: UrlKind, by: OnBehalf): Promise<Origin> {
    return this.store.transaction(async (tx) => {
      await lockEditPermission(tx, id, by);
      await origins.lockOrigin(tx, id);
      await origins.revokeToken(tx, id, kind);
      await this.createToken(tx, id, kind);
      const auditFields = await origins.auditFieldsOf(tx, id);
      recordAction(tx, { action: 'origin.rotate', ...auditFields, detail: { ...auditFields.detail, url: kind } });
      return this.find(id, tx);
    });
  }

  private async createToken(tx: Store, originID: string, kind: UrlKind): Promise<void> {
    const { value, hash } = mintSecret('bwh');
    await origins.insertToken(tx, { originID, kind, hash, sealed: sealToken(this.keys, originID, kind, value) });
  }

  private columns(id: string, draft: OriginDraft): OriginColumns;
  private columns(id: string, change: Partial<OriginDraft>): Partial<OriginColumns>;
  private columns(id: string, change: Partial<OriginDraft>): Partial<OriginColumns> {
    const { name, responseMode, waitSeconds, enabled, signature } = change;
    if (signature) requireUsableRule(signature);
    return {
      ...(name !== undefined && { name }),
      ...(responseMode !== undefined && { response_mode: responseMode }),
      ...(waitSeconds !== undefined && { wait_seconds: waitSeconds }),
      ...(enabled !== undefined && { enabled }),
      ...(signature !== undefined && { signature: signature && sealSignature(this.keys, id, signature) }),
    };
  }

  private toOrigin(row: OriginRow): Origin {
    const { origin_id: id } = row;
    const signature = row.signature && unsealSignature(this.keys, id, row.signature);
    return {
      id,
      processID: row.process_id,
      name: row.name,
      responseMode: row.response_mode,
      waitSeconds: row.wait_seconds,
      enabled: row.enabled === 1,
      signature: signature && { header: signature.header, toleranceSeconds: signature.toleranceSeconds },
      devToken: unsealToken(this.keys, id, 'dev', row.dev_sealed),
      prodToken: unsealToken(this.keys, id, 'prod', row.prod_sealed),
      createdAt: row.created_at.toISOString(),
    };
  }
}

function tooManyOrigins(): ApiError {
  return new ApiError('CONFLICT', `A process has at most ${MAX_ORIGINS} webhook origins; remove one first.`);
}
