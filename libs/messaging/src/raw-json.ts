import { randomUUID } from 'node:crypto';

/** Nobody outside of this process knows it, so that no value contains it. */
const MARK = `raw-json-${randomUUID()}-`;
const MARKED = new RegExp(`"${MARK}(\\d+)"`);

let texts: string[] = [];

/** JSON text as a part of a reply, which contains it unchanged: a large value need not be parsed to be passed on. */
export class RawJson {
  constructor(readonly text: string) {}

  toJSON(): string {
    texts.push(this.text);
    return `${MARK}${texts.length - 1}`;
  }
}

/** As `JSON.stringify`, with each RawJson as its text. */
export function stringifyWithRaw(value: unknown): string {
  texts = [];
  const json = JSON.stringify(value);
  if (texts.length === 0) return json;
  // Every other part is the number of a text.
  const parts = json.split(MARKED);
  const all = texts;
  texts = [];
  return parts.map((part, index) => (index % 2 === 0 ? part : (all[Number(part)] ?? 'null'))).join('');
}
