import { MAX_EVIDENCE_BYTES, MAX_PICTURES } from '@batuta/agent-protocol';
import type { EvidenceReply, RequestsOf, execution } from '@batuta/contracts';
import { isDuplicate, Store } from '@batuta/database';
import { faultPoint } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { EXECUTION_CONFIG, type ExecutionConfig } from '../config';
import { EvidenceMover } from './evidence-mover';
import {
  LATE_PICTURE_MINUTES,
  deleteEvidence,
  findEvidence,
  findPictureInstance,
  insertEvidence,
  lockEvidence,
  lockUsage,
  usageOfInstance,
  writePart,
  type EvidenceRow,
  type PictureInstance,
} from './evidence.repository';
import { PartWriteLimiter } from './part-write-limiter';
import { partCount, refusalOfPart, refusalOfPicture, refusedReply, type RefusedReply } from './picture-rules';

/** Time limit of an upload, counted from its first part; a sweep deletes pictures that are incomplete afterwards. */
export const UPLOAD_TIME_LIMIT_MINUTES = 60;
const MEGABYTE = 1024 * 1024;

type PartRequest = RequestsOf<typeof execution>['keepEvidence'];

/** Also the reply to a part that names an earlier claim of the instance. */
const NOT_HELD = refusedReply(
  'NOT_HELD',
  `instanceID: no such run in this environment, or it ended more than ${LATE_PICTURE_MINUTES} minutes ago.`,
);
const NO_UPLOAD = refusedReply(
  'BAD_PART',
  `part: no part of this picture is stored. Part 1 comes first, and an upload is deleted after ${UPLOAD_TIME_LIMIT_MINUTES} minutes.`,
);

/**
 * Stores the pictures of agents part by part. The row of a picture is written with its first part, and its whole size counts from
 * then on (interpretation 57).
 */
@Injectable()
export class EvidenceUploadService {
  private readonly partWrites = new PartWriteLimiter();

  constructor(
    private readonly store: Store,
    private readonly mover: EvidenceMover,
    @Inject(EXECUTION_CONFIG) private readonly config: ExecutionConfig,
  ) {}

  /**
   * Stores one part; a repeated part is accepted without effect. Refusals are replies; a later part that is wrong also deletes its
   * incomplete picture. Throws UNAVAILABLE under load (PartWriteLimiter).
   */
  async keep(request: PartRequest): Promise<EvidenceReply> {
    const { instanceID, evidenceID, environmentID, fence } = request;
    const [instance, known] = await Promise.all([
      findPictureInstance(this.store, instanceID),
      findEvidence(this.store, evidenceID),
    ]);
    if (instance?.environment_id !== environmentID || instance.fence !== fence) return NOT_HELD;
    const reply = await this.partWrites.run(instance.company_id, () => {
      const content = Buffer.from(request.data, 'base64');
      return known ? this.continue(request, content) : this.begin(instance, request, content);
    });
    if (reply.accepted && request.part === partCount(request.bytes)) this.mover.wake();
    return reply;
  }

  private async begin(instance: PictureInstance, request: PartRequest, content: Buffer): Promise<EvidenceReply> {
    const { bytes, mediaType, part } = request;
    if (instance.open !== 1) return NOT_HELD;
    if (part !== 1) return NO_UPLOAD;
    const refusal = refusalOfPicture(mediaType, bytes, content) ?? refusalOfPart(request, content);
    if (refusal) return refusal;
    try {
      return await this.store.transaction((tx) => this.insert(tx, instance, request, content));
    } catch (error) {
      // The same part arrived twice at once.
      if (isDuplicate(error)) return this.continue(request, content);
      throw error;
    }
  }

  /** The lock on the company's usage prevents two replicas from exceeding a limit together. */
  private async insert(
    tx: Store,
    instance: PictureInstance,
    request: PartRequest,
    content: Buffer,
  ): Promise<EvidenceReply> {
    const { evidenceID, bytes, part } = request;
    const used = await lockUsage(tx, instance.company_id);
    const refusal = (await refusalOfInstance(tx, request)) ?? this.refusalOfCompany(used + bytes);
    if (refusal) return refusal;
    await insertEvidence(tx, request, instance);
    writePart(tx, evidenceID, { part, content, complete: partCount(bytes) === 1 });
    faultPoint('execution:mid-evidence');
    return { accepted: true };
  }

  private refusalOfCompany(bytes: number): RefusedReply | undefined {
    const { QUOTA_EVIDENCE_MEGABYTES: megabytes } = this.config;
    if (bytes <= megabytes * MEGABYTE) return undefined;
    const remedy = 'retention makes room, or ask the operator to raise it';
    return refusedReply(
      'QUOTA_EXCEEDED',
      `bytes: a company keeps at most ${megabytes} MB of pictures (setting QUOTA_EVIDENCE_MEGABYTES); ${remedy}.`,
    );
  }

  private continue(request: PartRequest, content: Buffer): Promise<EvidenceReply> {
    const { evidenceID, part, bytes } = request;
    return this.store.transaction(async (tx): Promise<EvidenceReply> => {
      const row = await lockEvidence(tx, evidenceID);
      if (!row) return NO_UPLOAD;
      if (row.instance_id !== request.instanceID || row.fence !== request.fence) return NOT_HELD;
      if (part <= row.parts) return { accepted: true };
      const refusal = refusalOfLaterPart(row, request) ?? refusalOfPart(request, content);
      // The agent drops a refused picture, so its stored parts are deleted. A complete picture stays.
      if (refusal && row.complete === 0) await deleteEvidence(tx, row);
      if (!refusal) writePart(tx, evidenceID, { part, content, complete: part === partCount(bytes) });
      faultPoint('execution:mid-evidence');
      return refusal ?? { accepted: true };
    });
  }
}

async function refusalOfInstance(tx: Store, { instanceID, bytes }: PartRequest): Promise<RefusedReply | undefined> {
  const kept = await usageOfInstance(tx, instanceID);
  if (kept.pictures < MAX_PICTURES && kept.bytes + bytes <= MAX_EVIDENCE_BYTES) return undefined;
  return refusedReply(
    'TOO_MANY',
    `An instance keeps at most ${MAX_PICTURES} pictures of together ${MAX_EVIDENCE_BYTES / MEGABYTE} MB.`,
  );
}

function refusalOfLaterPart(row: EvidenceRow, { part, bytes, mediaType }: PartRequest): RefusedReply | undefined {
  if (bytes !== row.bytes || mediaType !== row.media_type) {
    return refusedReply('BAD_PART', 'bytes: size and type must be those of the first part.');
  }
  if (part === row.parts + 1) return undefined;
  return refusedReply('BAD_PART', `part: ${part} came before ${row.parts + 1}; send the parts in order.`);
}
