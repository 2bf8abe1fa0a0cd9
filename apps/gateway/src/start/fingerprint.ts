import { hash } from 'node:crypto';
import type { StartBody } from './start-body';

/**
 * The same for bodies that mean the same: SHA-256, in hexadecimal, of the JSON of `matrix` and `environmentID` with sorted
 * keys. A digest and not the text, so that no Secreto travels or is kept twice (interpretation 36).
 */
export function fingerprint({ matrix, environmentID }: StartBody): string {
  const text = canonicalJson({ environmentID: environmentID ?? null, matrix: matrix ?? {} });
  return hash('sha256', text);
}

/** `value` came from JSON and is not nested deeply. */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${canonicalJson(each)}`).join(',')}}`;
}
