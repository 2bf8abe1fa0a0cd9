import { MAX_FRAME_BYTES } from '@batuta/agent-protocol';

const MAX_HEADER_BYTES = 14;
const FINAL_BIT = 0x80;
const CONTROL_BIT = 0x08;
const MASKED_BIT = 0x80;
/** Memory of a received chunk in addition to its bytes; it counts because a message may arrive byte by byte. */
const CHUNK_BYTES = 256;

/**
 * Parses the framing of a WebSocket connection (RFC 6455, section 5.2) to know the size of a message before it is
 * complete; the WebSocket library reports only complete messages.
 */
export class FrameAssembly {
  private readonly header = Buffer.alloc(MAX_HEADER_BYTES);
  private headerBytes = 0;
  /** Bytes of the current frame that have not arrived. */
  private remaining = 0;
  private isControl = false;
  private isFinal = true;
  /** Bytes of the message that have arrived, and the number of chunks that hold them. */
  private received = 0;
  private chunks = 0;
  /** True while a message has begun and its last frame is not complete; control frames do not count. */
  private begun = false;

  read(chunk: Uint8Array): void {
    this.chunks += 1;
    for (let at = 0; at < chunk.length;) {
      if (this.remaining > 0) at += this.readPayload(chunk.length - at);
      else {
        this.header[this.headerBytes] = chunk[at] ?? 0;
        this.headerBytes += 1;
        at += 1;
        if (this.headerBytes === this.headerLength()) this.beginFrame();
      }
    }
    if (this.expectedBytes === 0) this.chunks = 0;
  }

  /** True for a message that the WebSocket library will refuse by the size in its header. */
  get isTooLarge(): boolean {
    return this.received + this.remaining > MAX_FRAME_BYTES;
  }

  /**
   * Bytes that the current message will occupy when it is complete; 0 when there is none. A message in several frames
   * counts as one of the maximum size until its last frame begins, because only that frame tells the size of the whole.
   */
  get expectedBytes(): number {
    if (!this.begun && this.remaining === 0 && this.headerBytes === 0) return 0;
    const bytes = this.isFinal || this.isControl ? this.received + this.remaining : MAX_FRAME_BYTES;
    return bytes + this.headerBytes + this.chunks * CHUNK_BYTES;
  }

  private readPayload(available: number): number {
    const count = Math.min(available, this.remaining);
    this.remaining -= count;
    if (!this.isControl) this.received += count;
    if (this.remaining === 0) this.endFrame();
    return count;
  }

  private headerLength(): number {
    if (this.headerBytes < 2) return 2;
    const second = this.header[1] ?? 0;
    const short = second & ~MASKED_BIT;
    const extended = short === 127 ? 8 : short === 126 ? 2 : 0;
    return 2 + extended + (second & MASKED_BIT ? 4 : 0);
  }

  private beginFrame(): void {
    const [first = 0, second = 0] = this.header;
    const short = second & ~MASKED_BIT;
    this.isControl = (first & CONTROL_BIT) !== 0;
    if (!this.isControl) {
      this.isFinal = (first & FINAL_BIT) !== 0;
      this.begun = true;
    }
    if (short === 127) this.remaining = Number(this.header.readBigUInt64BE(2));
    else this.remaining = short === 126 ? this.header.readUInt16BE(2) : short;
    this.headerBytes = 0;
    if (this.remaining === 0) this.endFrame();
  }

  private endFrame(): void {
    if (this.isControl || !this.isFinal) return;
    this.begun = false;
    this.received = 0;
    this.chunks = 0;
  }
}
