export interface PictureSize {
  width: number;
  height: number;
}

/**
 * The size in pixels that the header of a picture states; undefined unless the bytes begin with a header of PNG, JPEG, GIF, WebP or BMP (40 bytes
 * or more) that this file reads.
 */
export function pictureSize(bytes: Buffer): PictureSize | undefined {
  try {
    return pngSize(bytes) ?? jpegSize(bytes) ?? gifSize(bytes) ?? bmpSize(bytes) ?? webpSize(bytes);
  } catch {
    // The read went beyond the end of the bytes: the file ends within its header.
    return undefined;
  }
}

function pngSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): PictureSize | undefined {
  if (!/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function bmpSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.toString('latin1', 0, 2) !== 'BM' || bytes.readUInt32LE(14) < 40) return undefined;
  // A negative height says that the rows begin at the top. A negative width is read as a huge one, which the pixel
  // limit refuses.
  return { width: bytes.readUInt32LE(18), height: Math.abs(bytes.readInt32LE(22)) };
}

function webpSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** The size of a JPEG stands in the first of its segments that is a "start of frame". */
function jpegSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.toString('latin1', 0, 3) !== '\xff\xd8\xff') return undefined;
  let at = 2;
  while (at < bytes.length) {
    if (bytes.readUInt8(at) !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
    } else if (isStartOfFrame(marker)) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    } else {
      at += 2 + bytes.readUInt16BE(at + 2);
    }
  }
  return undefined;
}

/** The markers 0xC4, 0xC8 and 0xCC begin tables or an extension, not a frame. */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}
