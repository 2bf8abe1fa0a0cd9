import { MAX_FRAME_BYTES } from '@batuta/agent-protocol';
import { FrameAssembly } from './frame-assembly';

const CHUNK_BYTES = 256;
const TEXT_FRAME_BYTE = 0x81;
const FIRST_FRAGMENT_BYTE = 0x01;
const MIDDLE_FRAGMENT_BYTE = 0x00;
const LAST_FRAGMENT_BYTE = 0x80;
const PING_FRAME_BYTE = 0x89;

/** A frame as a client sends it, masked with zeros. */
function frameBytes(first: number, length: number): Buffer {
  const extended = Buffer.alloc(length > 65_535 ? 8 : length > 125 ? 2 : 0);
  if (extended.length === 8) extended.writeBigUInt64BE(BigInt(length));
  if (extended.length === 2) extended.writeUInt16BE(length);
  const short = extended.length === 8 ? 127 : extended.length === 2 ? 126 : length;
  return Buffer.concat([Buffer.from([first, 0x80 | short]), extended, Buffer.alloc(4), Buffer.alloc(length, 'x')]);
}

const expectedAfter = (...chunks: Buffer[]): number => {
  const assembly = new FrameAssembly();
  for (const chunk of chunks) assembly.read(chunk);
  return assembly.expectedBytes;
};

describe('assembly', () => {
  it.each([0, 1, 125, 126, 65_535, 65_536, 200_000])(
    'a message in assembly of %d bytes ends with its last byte',
    (length) => {
      const message = frameBytes(TEXT_FRAME_BYTE, length);
      expect(expectedAfter(message)).toBe(0);
      expect(expectedAfter(Buffer.concat([message, message]), message)).toBe(0);
      expect(expectedAfter(message.subarray(0, -1))).toBeGreaterThan(0);
      expect(expectedAfter(message.subarray(0, -1), message.subarray(-1))).toBe(0);
    },
  );

  it('a message in assembly counts its whole length once its header has arrived', () => {
    const message = frameBytes(TEXT_FRAME_BYTE, 200_000);
    expect(expectedAfter(message.subarray(0, 14))).toBe(200_000 + CHUNK_BYTES);
    expect(expectedAfter(frameBytes(TEXT_FRAME_BYTE, 10), message.subarray(0, 14))).toBe(200_000 + CHUNK_BYTES);
    expect(expectedAfter(message.subarray(0, 1))).toBe(1 + CHUNK_BYTES);
  });

  it('a message in assembly that arrives byte by byte counts the memory of its chunks', () => {
    const bytes = [...frameBytes(TEXT_FRAME_BYTE, 100).subarray(0, 50)].map((byte) => Buffer.from([byte]));
    expect(expectedAfter(...bytes)).toBe(100 + 50 * CHUNK_BYTES);
  });

  it('a message in assembly in several frames counts as a message of the maximum size until its last frame', () => {
    const parts = [
      frameBytes(FIRST_FRAGMENT_BYTE, 10),
      frameBytes(PING_FRAME_BYTE, 4),
      frameBytes(MIDDLE_FRAGMENT_BYTE, 10),
    ];
    expect(expectedAfter(...parts)).toBe(MAX_FRAME_BYTES + 3 * CHUNK_BYTES);
    expect(expectedAfter(...parts, frameBytes(LAST_FRAGMENT_BYTE, 0))).toBe(0);
    expect(expectedAfter(...parts, frameBytes(LAST_FRAGMENT_BYTE, 100).subarray(0, 50))).toBe(120 + 4 * CHUNK_BYTES);
  });

  it('a ping begins no message in assembly', () => {
    expect(expectedAfter(frameBytes(PING_FRAME_BYTE, 100))).toBe(0);
    expect(
      expectedAfter(
        frameBytes(TEXT_FRAME_BYTE, 10).subarray(0, 9),
        frameBytes(TEXT_FRAME_BYTE, 10).subarray(9),
        frameBytes(PING_FRAME_BYTE, 0),
      ),
    ).toBe(0);
  });
});
