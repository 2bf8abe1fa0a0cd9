/**
 * Bytes that come in pieces, copied together as they come: kept apart, pieces of one byte, which a sender may choose to
 * send, take hundreds of times the memory of what is in them.
 */
export class Gathering {
  private room: Buffer = Buffer.alloc(0);
  private size = 0;

  get length(): number {
    return this.size;
  }

  add(piece: Buffer): void {
    const size = this.size + piece.length;
    // The first piece is most often the only one, and stands for itself.
    if (this.size === 0) this.room = piece;
    else {
      if (size > this.room.length) this.grow(Math.max(size, 2 * this.room.length));
      piece.copy(this.room, this.size);
    }
    this.size = size;
  }

  bytes(): Buffer {
    return this.room.subarray(0, this.size);
  }

  private grow(length: number): void {
    const grown = Buffer.allocUnsafe(length);
    this.room.copy(grown);
    this.room = grown;
  }
}
