import { PICTURE_PART_BYTES } from '@batuta/agent-protocol';
import { execution, type EvidenceReply, type RequestsOf } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { heldInstanceOf, viewerOf, type ClaimedInstance } from './instances';
import { countOf, type ExecutionWorld } from './world';

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export type PartRequest = RequestsOf<typeof execution>['keepEvidence'];

/** A picture of this size; every call returns different content. */
export function pictureOfBytes(bytes: number): Buffer {
  const content = Buffer.alloc(bytes, uuid());
  PNG_SIGNATURE.copy(content);
  return content;
}

/** The request for one part of a picture. Every call names a new picture unless `over` has its id. */
export function partOf(
  running: ClaimedInstance,
  content: Buffer,
  part = 1,
  over: Partial<PartRequest> = {},
): PartRequest {
  const start = (part - 1) * PICTURE_PART_BYTES;
  return {
    type: 'evidence',
    ...heldInstanceOf(running),
    environmentID: running.environmentID,
    evidenceID: uuid(),
    mediaType: 'image/png',
    bytes: content.length,
    part,
    data: content.subarray(start, start + PICTURE_PART_BYTES).toString('base64'),
    ...over,
  };
}

export const keepPart = (world: ExecutionWorld, request: PartRequest): Promise<EvidenceReply> =>
  world.rpc.call(execution.keepEvidence, request);

/** Sends every part; returns the id of the picture. */
export async function uploadPicture(world: ExecutionWorld, running: ClaimedInstance, content: Buffer): Promise<string> {
  const evidenceID = uuid();
  for (let part = 1; (part - 1) * PICTURE_PART_BYTES < content.length; part += 1) {
    const reply = await keepPart(world, partOf(running, content, part, { evidenceID }));
    if (!reply.accepted) throw new Error(reply.message);
  }
  return evidenceID;
}

/** Reads the whole picture page by page, as the owner of the process or as another account. */
export async function downloadPicture(
  world: ExecutionWorld,
  { work: { instanceID }, ...registered }: ClaimedInstance,
  evidenceID: string,
  accountID = viewerOf(registered).accountID,
): Promise<Buffer> {
  const pages: Buffer[] = [];
  for (let offset = 0, size = 1; offset < size;) {
    const request = { instanceID, evidenceID, viewer: { accountID }, offset };
    const { bytes, data } = await world.rpc.call(execution.evidence, request);
    const page = Buffer.from(data, 'base64');
    pages.push(page);
    [offset, size] = [offset + page.length, bytes];
  }
  return Buffer.concat(pages);
}

/** What a picture occupies: the numbers of its rows and parts, and the bytes of all pictures of its company. */
export async function storageOfPicture(world: ExecutionWorld, { companyID }: ClaimedInstance, evidenceID: string) {
  const usage = await world.store.row<{ bytes: number }>('SELECT bytes FROM evidence_usage WHERE company_id = ?', [
    companyID,
  ]);
  return {
    rows: await countOf(world.store, 'evidence', 'evidence_id = ?', [evidenceID]),
    parts: await countOf(world.store, 'evidence_part', 'evidence_id = ?', [evidenceID]),
    usage: usage?.bytes ?? 0,
  };
}
