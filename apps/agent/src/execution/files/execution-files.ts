import { StepError } from '../../step-error';

export const MAX_FILE_BYTES = 5 * 1024 * 1024;
const MAX_EXECUTION_BYTES = 50 * 1024 * 1024;

/** A file that a step of the execution made or received. */
export interface ExecutionFile {
  name: string;
  contentType: string;
  bytes: Buffer;
}

/**
 * The files of one execution, by the references that `{name.FILE}` gives (contract 2.12). They are in memory only, so that
 * nothing of them remains after the execution or a crash.
 */
export class ExecutionFiles {
  private readonly byReference = new Map<string, ExecutionFile>();
  private readonly references = new Map<string, string>();
  private count = 0;
  private totalBytes = 0;

  /**
   * Removes the previous file of the variable, keeps the new one and returns its reference. Throws StepError for a file above MAX_FILE_BYTES,
   * or when the files of the execution would have more than MAX_EXECUTION_BYTES together; the previous file is gone then, too.
   */
  keep(variable: string, file: ExecutionFile): string {
    this.drop(variable);
    const { name, bytes } = file;
    if (bytes.length > MAX_FILE_BYTES) throw new StepError(`the file ${name} has more than ${MAX_FILE_BYTES} bytes`);
    if (this.totalBytes + bytes.length > MAX_EXECUTION_BYTES) {
      throw new StepError(`the files of this execution would have more than ${MAX_EXECUTION_BYTES} bytes`);
    }
    this.totalBytes += bytes.length;
    this.count += 1;
    const reference = `file:${this.count}/${name}`;
    this.byReference.set(reference, file);
    this.references.set(variable, reference);
    return reference;
  }

  /** Removes the file of a variable; returns whether there was one. */
  drop(variable: string): boolean {
    const reference = this.references.get(variable);
    if (reference === undefined) return false;
    this.totalBytes -= this.byReference.get(reference)?.bytes.length ?? 0;
    this.byReference.delete(reference);
    return this.references.delete(variable);
  }

  /** The file of a reference; undefined for any other text, and once its variable has another file or none. */
  find(reference: string): ExecutionFile | undefined {
    return this.byReference.get(reference);
  }
}
