import { ApiError } from '@batuta/errors';
import type { SignatureSecret } from '../src/origins/sealed-columns';
import { requireSignature } from '../src/signature/signature';

interface SignedExample {
  rule: SignatureSecret;
  headers: Record<string, string>;
  body: string;
  /** Seconds. */
  now: number;
}

/** What a call has in place of the parts of the example; a header that is undefined is absent. */
export interface ExampleChange {
  rule?: Partial<SignatureSecret>;
  headers?: Record<string, string | undefined>;
  body?: string;
  now?: number;
}

/** Makes a check of changed examples; the check returns the id of the message or `accepted`, or code and message of the refusal. */
export function createExampleCheck(example: SignedExample): (change?: ExampleChange) => string {
  return ({ rule, headers, body = example.body, now = example.now } = {}) => {
    const sent = Object.entries({ ...example.headers, ...headers });
    const received = sent.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const call = { body: Buffer.from(body), headers: Object.fromEntries(received) };
    try {
      return requireSignature({ ...example.rule, ...rule }, call, now) ?? 'accepted';
    } catch (error) {
      return error instanceof ApiError ? `${error.code} ${error.message}` : String(error);
    }
  };
}
