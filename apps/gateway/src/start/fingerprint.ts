import { hash } from 'node:crypto';
import type { StartBody } from './start-body.dto';

/**
 * Equal for bodies that mean the same: SHA-256, in hexadecimal, of the JSON of `matrix` and `environmentID` with sorted keys.
 * It is a digest and not the text, so that no second copy of a Secreto is sent or stored (interpretation 36).
 */
export function fingerprint({ matrix, environmentID }: StartBody): string {
  const text = canonicalJson({ environmentID: environmentID ?? null, matrix: matrix ?? {} });
  return hash('sha256', text);
}

/** `value` is parsed JSON whose depth is limited. */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${canonicalJson(each)}`).join(',')}}`;
}
