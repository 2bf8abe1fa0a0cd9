/** A store of the bytes of pictures. The methods of a bucket throw UNAVAILABLE while it is away, and when it refuses a request. */
export interface ObjectStore {
  /** The value of the column `location` in the rows of its pictures. */
  readonly location: string;
  /** The `length` bytes from the offset `from`, all of which the picture must have; undefined when the store has no such picture. */
  read(evidenceID: string, from: number, length: number): Promise<Buffer | undefined>;
  /** Does nothing when the store has no such picture. */
  remove(evidenceID: string): Promise<void>;
  /** At most `limit` ids greater than `after`, in ascending order. */
  list(after: string, limit: number): Promise<string[]>;
}

/** A store outside of the database. */
export interface Bucket extends ObjectStore {
  /** Replaces an object with the same id. */
  put(evidenceID: string, content: Buffer): Promise<void>;
}
