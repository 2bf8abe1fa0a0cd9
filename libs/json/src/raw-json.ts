/**
 * A random mark that nobody outside of this process knows, so that no value can contain it. The global `crypto` also
 * exists in web pages.
 */
const RAW_MARK = `raw-json-${crypto.getRandomValues(new Uint32Array(4)).join('-')}-`;
const MARKED_TEXT = new RegExp(`"${RAW_MARK}(\\d+)"`);

/**
 * While `stringifyMarked` runs: the texts of the RawJson values that it has met. Its result has numbered marks in their
 * places, which `stringifyWithRaw` replaces with the texts. Undefined at other times.
 */
let collectedTexts: string[] | undefined;

/**
 * A list, object or long text as compact JSON in place of the parsed value. Hundreds of thousands of small objects thus pass through a
 * service as one text; parsing them and collecting their garbage would take a tenth of a second. `JSON.stringify` also writes a RawJson
 * correctly, but parses its text for that.
 */
export class RawJson {
  constructor(readonly text: string) {}

  get isList(): boolean {
    return this.text.startsWith('[');
  }

  /** The value, if it is a text; undefined for a list or an object. */
  get string(): string | undefined {
    return this.text.startsWith('"') ? JSON.parse(this.text) : undefined;
  }

  toJSON(): unknown {
    if (!collectedTexts) return JSON.parse(this.text);
    collectedTexts.push(this.text);
    return `${RAW_MARK}${collectedTexts.length - 1}`;
  }
}

export interface JsonWithRaw {
  json: string;
  /** The positions of the RawJson texts in `json`, as `start-end,start-end,…` in UTF-16 code units; undefined when there are none. */
  ranges: string | undefined;
}

/** Writes JSON as `JSON.stringify` does, with each RawJson as its text. */
export function stringifyWithRaw(value: unknown): JsonWithRaw {
  const [json, found] = stringifyMarked(value);
  if (found.length === 0) return { json, ranges: undefined };
  const ranges: string[] = [];
  let length = 0;
  // The parts at odd indexes are the numbers of texts in `found`.
  const parts = json.split(MARKED_TEXT).map((part, index) => {
    const text = index % 2 === 0 ? part : (found[Number(part)] ?? 'null');
    if (index % 2 === 1) ranges.push(`${length}-${length + text.length}`);
    length += text.length;
    return text;
  });
  return { json: parts.join(''), ranges: ranges.join(',') };
}

/**
 * As `JSON.parse`, with a RawJson at each of the `ranges` that `stringifyWithRaw` returned; when one of the ranges does not fit the text, all of
 * them are ignored. Throws SyntaxError.
 */
export function parseWithRaw(json: string, ranges: string): unknown {
  const cuts = readRanges(ranges, json.length);
  if (cuts.length === 0) return JSON.parse(json);
  const raws: RawJson[] = [];
  let rest = '';
  let end = 0;
  for (const [from, to] of cuts) {
    rest += `${json.slice(end, from)}"${RAW_MARK}${raws.length}"`;
    raws.push(new RawJson(json.slice(from, to)));
    end = to;
  }
  return replaceMarks(JSON.parse(rest + json.slice(end)), raws);
}

function stringifyMarked(value: unknown): [string, string[]] {
  const found: string[] = [];
  collectedTexts = found;
  try {
    return [JSON.stringify(value), found];
  } finally {
    collectedTexts = undefined;
  }
}

/** Returns no range unless all are in ascending order, do not overlap and lie within the text. */
function readRanges(ranges: string, length: number): [number, number][] {
  const read = ranges.split(',').map((range): [number, number] => {
    const [, from, to] = /^(\d+)-(\d+)$/.exec(range) ?? [];
    return [Number(from), Number(to)];
  });
  let end = 0;
  for (const [from, to] of read) {
    if (!(from >= end && to > from && to <= length)) return [];
    end = to;
  }
  return read;
}

function replaceMarks(value: unknown, raws: readonly RawJson[]): unknown {
  if (typeof value === 'string')
    return value.startsWith(RAW_MARK) ? (raws[Number(value.slice(RAW_MARK.length))] ?? value) : value;
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, item] of Object.entries(value)) {
    const replaced = replaceMarks(item, raws);
    // An assignment to `__proto__` would change the prototype.
    if (replaced !== item)
      Object.defineProperty(value, key, { value: replaced, configurable: true, enumerable: true, writable: true });
  }
  return value;
}
