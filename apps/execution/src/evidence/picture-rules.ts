import { MAX_PICTURE_BYTES, PICTURE_PART_BYTES, type EvidenceFrame } from '@batuta/agent-protocol';
import type { EvidencePage, EvidenceRefusal, EvidenceReply } from '@batuta/contracts';

export type MediaType = EvidencePage['mediaType'];
export type RefusedReply = Extract<EvidenceReply, { accepted: false }>;

/** The first bytes of a file of each type. */
const FILE_SIGNATURES: Record<MediaType, Buffer> = {
  'image/png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  'image/jpeg': Buffer.from([0xff, 0xd8, 0xff]),
};

export function refusedReply(code: EvidenceRefusal, message: string): RefusedReply {
  return { accepted: false, code, message };
}

/** The number of parts of a picture with this size. */
export function partCount(bytes: number): number {
  return Math.ceil(bytes / PICTURE_PART_BYTES);
}

function isMediaType(text: string): text is MediaType {
  return Object.hasOwn(FILE_SIGNATURES, text);
}

/** Checks media type, size and first bytes of a picture; undefined when it may be kept. */
export function refusalOfPicture(mediaType: string, bytes: number, start: Buffer): RefusedReply | undefined {
  if (bytes > MAX_PICTURE_BYTES) {
    return refusedReply(
      'TOO_LARGE',
      `bytes: a picture has at most ${MAX_PICTURE_BYTES} bytes, not ${bytes}; make it smaller.`,
    );
  }
  if (!isMediaType(mediaType)) return refusedReply('BAD_MEDIA_TYPE', 'mediaType: must be image/png or image/jpeg.');
  const signature = FILE_SIGNATURES[mediaType];
  if (start.subarray(0, signature.length).equals(signature)) return undefined;
  return refusedReply('BAD_MEDIA_TYPE', `data: the picture does not begin like ${mediaType}.`);
}

/** Checks number and length of a part; undefined when both are correct. */
export function refusalOfPart(
  { part, bytes }: Pick<EvidenceFrame, 'part' | 'bytes'>,
  content: Buffer,
): RefusedReply | undefined {
  const parts = partCount(bytes);
  if (part > parts)
    return refusedReply('BAD_PART', `part: a picture of ${bytes} bytes has ${parts} parts, not ${part}.`);
  const length = part < parts ? PICTURE_PART_BYTES : bytes - (parts - 1) * PICTURE_PART_BYTES;
  if (content.length === length) return undefined;
  return refusedReply('BAD_PART', `data: part ${part} must have ${length} bytes, not ${content.length}.`);
}
