import { randomUUID } from 'node:crypto';

/** Secret values of the tested data, one of each kind. They are unique, so that each occurrence in an answer or a log is a leak. */
export class Secrets {
  private readonly values = new Map<string, string>();

  /** Registers an existing value, such as a credential, and returns it; it replaces an earlier value of its kind. */
  keep(kind: string, value: string): string {
    this.values.set(kind, value);
    return value;
  }

  /** Makes a secret value that occurs nowhere else, registers it and returns it. */
  make(kind: string): string {
    return this.keep(kind, `mark-${randomUUID()}`);
  }

  /** The kind of the first secret in the text; undefined when there is none. `allowed` has the kinds that may appear there. */
  leakIn(text: string, allowed: string[] = []): string | undefined {
    const found = [...this.values].find(([kind, value]) => !allowed.includes(kind) && text.includes(value));
    return found?.[0];
  }
}
