import { StepError } from '../step-error';

export const MAX_FILE_BYTES = 5 * 1024 * 1024;
const MAX_BYTES = 50 * 1024 * 1024;

/** A file that a step made or received. */
export interface RunFile {
  name: string;
  contentType: string;
  bytes: Buffer;
}

/**
 * The files of one execution, by the references that `{name.FILE}` gives (contract 2.12). They are in memory only, so that
 * nothing of them remains after the execution or a crash.
 */
export class RunFiles {
  private readonly byReference = new Map<string, RunFile>();
  private readonly references = new Map<string, string>();
  private count = 0;
  private bytes = 0;

  /** Keeps a file of a variable in place of the variable's previous one and returns its reference. */
  keep(variable: string, file: RunFile): string {
    this.drop(variable);
    const { name, bytes } = file;
    if (bytes.length > MAX_FILE_BYTES) throw new StepError(`the file ${name} has more than ${MAX_FILE_BYTES} bytes`);
    if (this.bytes + bytes.length > MAX_BYTES) {
      throw new StepError(`the files of this execution would have more than ${MAX_BYTES} bytes`);
    }
    this.bytes += bytes.length;
    this.count += 1;
    const reference = `file:${this.count}/${name}`;
    this.byReference.set(reference, file);
    this.references.set(variable, reference);
    return reference;
  }

  /** True if the variable had a file. */
  drop(variable: string): boolean {
    const reference = this.references.get(variable);
    if (reference === undefined) return false;
    this.bytes -= this.byReference.get(reference)?.bytes.length ?? 0;
    this.byReference.delete(reference);
    return this.references.delete(variable);
  }

  find(reference: string): RunFile | undefined {
    return this.byReference.get(reference);
  }
}
