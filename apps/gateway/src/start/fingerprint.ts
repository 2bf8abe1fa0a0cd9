import { RawJson, type JsonThread } from '@batuta/json';
import { hash } from 'node:crypto';
import type { StartBody } from './start-body.dto';

/**
 * Equal for bodies with the same values, whatever the order of their fields: SHA-256, in hexadecimal, of the JSON of `matrix` and
 * `environmentID` with sorted keys. The text "1" and the number 1 are different values.
 * It is a digest and not the text, so that no second copy of a Secreto is sent or stored (interpretation 36).
 */
export async function fingerprintOf({ matrix = {}, environmentID }: StartBody, thread: JsonThread): Promise<string> {
  const raws = Object.values(matrix).filter((value) => value instanceof RawJson);
  const texts = new Map<unknown, string>();
  for (const raw of raws) texts.set(raw, await thread.run('canonicalJson', raw.text));
  return hash('sha256', canonicalJson({ environmentID: environmentID ?? null, matrix }, texts));
}

/** `value` is parsed JSON whose depth is limited; `texts` has the canonical JSON of each RawJson in it. */
function canonicalJson(value: unknown, texts: ReadonlyMap<unknown, string>): string {
  if (value instanceof RawJson) return texts.get(value) ?? value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, texts)).join(',')}]`;
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${canonicalJson(each, texts)}`).join(',')}}`;
}
