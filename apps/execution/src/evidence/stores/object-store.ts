/** A place of complete pictures. */
export interface ObjectStore {
  /** As the rows of its pictures name it. */
  readonly location: string;
  /** The bytes from an offset on; undefined when it has no such picture. */
  read(evidenceID: string, from: number, length: number): Promise<Buffer | undefined>;
  /** Has no effect on a picture that it does not have. */
  remove(evidenceID: string): Promise<void>;
  /** The ids that follow `after` in their order. */
  list(after: string, limit: number): Promise<string[]>;
}

/** A place outside of the database. */
export interface Bucket extends ObjectStore {
  /** Replaces an object with the same id. */
  put(evidenceID: string, content: Buffer): Promise<void>;
}
