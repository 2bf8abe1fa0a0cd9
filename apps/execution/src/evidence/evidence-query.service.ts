import { PICTURE_PART_BYTES } from '@batuta/agent-protocol';
import type { EvidencePage, RequestsOf, execution } from '@batuta/contracts';
import { PageBudget, Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { LOGGER, type Logger } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { instanceNotFound } from '../instances/instance-not-found';
import { findVisibleInstance } from '../instances/instance.repository';
import { findEvidence, findPictureInstance, type EvidenceRow } from './evidence.repository';
import { EvidenceStores } from './stores/evidence-stores';

/** Maximum bytes of a picture in one reply; base64 adds a third. */
const PAGE_BYTES = 3 * PICTURE_PART_BYTES;

/** Reads pictures in pages of bytes, for those who may read the instance (interpretation 57). */
@Injectable()
export class EvidenceQueryService {
  private readonly pages = new PageBudget();

  constructor(
    private readonly store: Store,
    private readonly stores: EvidenceStores,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * The bytes from `offset` on, at most PAGE_BYTES. Throws INSTANCE_NOT_FOUND, NOT_FOUND for a picture that is missing or incomplete,
   * BAD_REQUEST for a wrong offset, UNAVAILABLE while its store is away, and what PageBudget throws when too many pages are read at once.
   */
  async page(request: RequestsOf<typeof execution>['evidence']): Promise<EvidencePage> {
    const { instanceID, evidenceID, viewer, offset } = request;
    const instance = await findVisibleInstance(this.store, instanceID, viewer.accountID);
    if (!instance) throw instanceNotFound();
    const found = await this.findComplete(instanceID, evidenceID);
    const length = Math.min(PAGE_BYTES, found.bytes - offset);
    if (offset < 0 || length <= 0)
      throw new ApiError('BAD_REQUEST', 'offset: must be less than the bytes of the picture');
    const content = await this.pages.read(viewer.accountID, length, () => this.read(found, offset, length));
    return { mediaType: found.media_type, bytes: found.bytes, data: content.toString('base64') };
  }

  private async findComplete(instanceID: string, evidenceID: string): Promise<EvidenceRow> {
    const row = await findEvidence(this.store, evidenceID);
    if (row?.instance_id !== instanceID) throw notFound(await this.whyMissing(instanceID));
    if (row.complete === 0) throw notFound('is still being uploaded; try again in a moment');
    return row;
  }

  /** The id alone does not say whether there was such a picture, but the instance says whether one may still arrive. */
  private async whyMissing(instanceID: string): Promise<string> {
    const instance = await findPictureInstance(this.store, instanceID);
    return instance?.open === 1 ? 'does not exist, or was not uploaded yet' : 'does not exist, or was deleted';
  }

  private async read(row: EvidenceRow, offset: number, length: number): Promise<Buffer> {
    const content = await this.readFrom(row, offset, length);
    if (content) return content;
    // The picture may have moved to the bucket since its row was read.
    const now = await this.findComplete(row.instance_id, row.evidence_id);
    const moved = now.location === row.location ? undefined : await this.readFrom(now, offset, length);
    if (!moved) throw notFound('is no longer kept');
    return moved;
  }

  private readFrom({ evidence_id: id, location }: EvidenceRow, offset: number, length: number) {
    const store = this.stores.at(location);
    if (!store) throw notFound('is in a bucket that the service no longer uses');
    return store.read(id, offset, length).catch((error: unknown) => {
      // The cause is logged and not returned, because it names the bucket or its host.
      this.logger.warn({ err: error, evidenceID: id, location }, 'a picture cannot be read where it is kept');
      throw new ApiError('UNAVAILABLE', 'The store of the pictures is away for the moment; try again.');
    });
  }
}

function notFound(why: string): ApiError {
  return new ApiError('NOT_FOUND', `evidence: the picture ${why}.`);
}
