/**
 * Limits against ZIP bombs when an archive is read: its entries, folders included, and the unpacked bytes of all together.
 * Both are far above those of any process.
 */
const MAX_FILES = 1_000;
const MAX_BYTES = 20 * 1024 * 1024;

/** Signatures and sizes of the records: LOCAL precedes each file, CENTRAL is an entry of the list of files, and END follows that list. */
const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50];
const [LOCAL_BYTES, CENTRAL_BYTES, END_BYTES] = [30, 46, 22];
/** After its last record an archive may have a comment of at most this length. */
const MAX_COMMENT_BYTES = 0xffff;
/** The flag of an entry that its name is UTF-8. */
const UTF8_NAMES = 0x0800;
/** The date of every entry, 1 January 1980, so that equal files give an equal archive. */
const DATE = 0x0021;

/** Thrown for a file that is no ZIP archive, or one that is damaged, too large or packed in an unknown way. */
export class ZipError extends Error {
  override readonly name = 'ZipError';
}

/** A ZIP archive, not compressed, of texts by their paths. */
export function writeZip(texts: ReadonlyMap<string, string>): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const [locals, centrals]: [Uint8Array[], Uint8Array[]] = [[], []];
  let offset = 0;
  for (const [path, text] of texts) {
    const [name, content] = [encoder.encode(path), encoder.encode(text)];
    // Version, flags, method, time, date, checksum, both sizes, length of the name, length of the extra field.
    const common = fields([20, 2], [UTF8_NAMES, 2], [0, 2], [0, 2], [DATE, 2], [crc32(content), 4]).concat(
      fields([content.length, 4], [content.length, 4], [name.length, 2], [0, 2]),
    );
    const local = [...fields([LOCAL, 4]), ...common];
    locals.push(Uint8Array.from(local), name, content);
    centrals.push(
      Uint8Array.from([
        ...fields([CENTRAL, 4], [20, 2]),
        ...common,
        ...fields([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]),
      ]),
      name,
    );
    offset += local.length + name.length + content.length;
  }
  const centralBytes = centrals.reduce((sum, { length }) => sum + length, 0);
  const { size } = texts;
  const end = fields([END, 4], [0, 2], [0, 2], [size, 2], [size, 2], [centralBytes, 4], [offset, 4], [0, 2]);
  return joined([...locals, ...centrals, Uint8Array.from(end)]);
}

/** The texts of a ZIP archive by their whole paths; entries of folders are left out. Rejects with `ZipError`. */
export async function readZip(bytes: Uint8Array<ArrayBuffer>): Promise<Map<string, string>> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return await readEntries(bytes, view);
  } catch (error) {
    // The cause may be a position outside of the file, a text that is not UTF-8, or data that cannot be unpacked.
    throw error instanceof ZipError ? error : new ZipError('the archive is damaged', { cause: error });
  }
}

async function readEntries(bytes: Uint8Array<ArrayBuffer>, view: DataView): Promise<Map<string, string>> {
  const end = endOf(view);
  const count = view.getUint16(end + 10, true);
  if (count > MAX_FILES) throw new ZipError(`the archive has more than ${MAX_FILES} files`);
  const texts = new Map<string, string>();
  let left = MAX_BYTES;
  let at = view.getUint32(end + 16, true);
  for (let index = 0; index < count; index += 1) {
    if (view.getUint32(at, true) !== CENTRAL) throw new ZipError('the archive is damaged');
    const [method, size] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true)];
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
    const local = view.getUint32(at + 42, true);
    const nameAt = at + CENTRAL_BYTES;
    const path = textOf(bytes.subarray(nameAt, nameAt + (nameBytes ?? 0)));
    at = nameAt + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0);
    if (path.endsWith('/')) continue;
    const contentAt = local + LOCAL_BYTES + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const content = await unpack(bytes.subarray(contentAt, contentAt + size), method, left);
    left -= content.length;
    texts.set(path, textOf(content));
  }
  return texts;
}

/** The position of the last record, which says where the list of files is. */
function endOf(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = view.byteLength - END_BYTES; at >= first; at -= 1) if (view.getUint32(at, true) === END) return at;
  throw new ZipError('this is no ZIP archive');
}

/** The bytes of an entry, unpacked. Rejects if they are more than `limit`. */
async function unpack(content: Uint8Array<ArrayBuffer>, method: number, limit: number): Promise<Uint8Array> {
  const tooLarge = new ZipError(`the archive has more than ${MAX_BYTES / 1024 / 1024} MB`);
  if (method === 0 && content.length > limit) throw tooLarge;
  if (method === 0) return content;
  if (method !== 8) throw new ZipError('the archive is encrypted, or packed in a way that browsers do not know');
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = new Blob([content]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  for (let part = await reader.read(); part.value !== undefined; part = await reader.read()) {
    length += part.value.length;
    if (length > limit) {
      await reader.cancel();
      throw tooLarge;
    }
    parts.push(part.value);
  }
  return joined(parts);
}

const textOf = (bytes: Uint8Array) => new TextDecoder('utf-8', { fatal: true }).decode(bytes);

/** Numbers as bytes, lowest byte first; each number comes with its count of bytes. */
function fields(...numbers: [value: number, bytes: number][]): number[] {
  return numbers.flatMap(([value, bytes]) =>
    Array.from({ length: bytes }, (_, index) => (value >>> (8 * index)) & 0xff),
  );
}

function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The checksum that ZIP archives have of each file (CRC-32). */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
