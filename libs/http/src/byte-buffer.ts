/**
 * A growing buffer that copies chunks as they arrive. A list of chunks would take hundreds of times the memory of the bytes when
 * a client sends one byte per chunk.
 */
export class ByteBuffer {
  private storage: Buffer = Buffer.alloc(0);
  private size = 0;

  get length(): number {
    return this.size;
  }

  add(chunk: Buffer): void {
    const size = this.size + chunk.length;
    // Most bodies have one chunk, which needs no copy.
    if (this.size === 0) this.storage = chunk;
    else {
      if (size > this.storage.length) this.grow(Math.max(size, 2 * this.storage.length));
      chunk.copy(this.storage, this.size);
    }
    this.size = size;
  }

  bytes(): Buffer {
    return this.storage.subarray(0, this.size);
  }

  private grow(length: number): void {
    const grown = Buffer.allocUnsafe(length);
    this.storage.copy(grown);
    this.storage = grown;
  }
}
