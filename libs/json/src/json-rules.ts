/**
 * Why a value cannot be sent as JSON: its nesting is too deep, it has a number that no double holds, which JSON writes as null, or its text
 * has a name that `refusedName` finds.
 */
export type JsonObstacle = 'depth' | 'number' | 'name';

export interface JsonRules {
  /**
   * Like JSON.parse, except that a number which no double holds never becomes another number: both `1e400` and `1e-400` become infinite,
   * which `jsonObstacle` finds. Other numbers become the nearest double. Throws SyntaxError, also for a text with a refused name.
   */
  parseJsonText: (text: string) => unknown;
  /**
   * The first object key in a JSON text that must not reach JSON.parse (interpretation 62). V8 compares a key with the key that an earlier
   * object had at the same place, and does so before it decodes escapes: once it has read the key `caf\`, it reads `caf\u00e9` as `caf\`
   * in every later text of the process (nodejs/node#63785). Accepts any text: in a text that is not JSON, the keys before the fault are
   * checked. The time is linear.
   */
  refusedName: (text: string) => string | undefined;
  /** Whether V8 may read a later, escaped name as this one: each of its backslashes stands at the end or before a character that makes an escape. */
  isRefusedName: (name: string) => boolean;
  /**
   * The first obstacle in a value. The value itself is the first level of nesting. The recursion ends at `maxDepth`, so that
   * no value overflows the stack.
   */
  jsonObstacle: (value: unknown, maxDepth?: number) => JsonObstacle | undefined;
  /** The ASCII letters and digits of a field's name, in lower case: equal for all spellings of one name, such as `dryRun` and `dry_run`. */
  comparableName: (name: string) => string;
}

/** Maximum levels of lists and objects. Deeper nesting overflows the stack of JSON.stringify; real payloads have fewer than 20. */
export const MAX_DEPTH = 100;

/**
 * Makes the rules, with the default of `maxDepth`. JsonThread runs the source text of this function in a worker, which has nothing else of this
 * file, so the function refers to nothing outside of itself. For the same reason its parts are methods: a bundler wraps each named function in
 * a call of a helper that is outside.
 */
export function jsonRules(defaultMaxDepth: number): JsonRules {
  /** Matches a number that may become 0: an exponent such as `e-400`, or hundreds of zeros behind the point. */
  const mayBecomeZero = /\d[eE]-\d{3,}\s*(?:[,\]}]|$)|0\.0{200}/;
  /** Matches strings, in order to skip them, and numbers of those forms. Matches do not overlap, so the time is linear. */
  const stringsAndSmallNumbers = /"(?:[^"\\]|\\.)*"|(?<![\d.])(?:\d[\d.]*[eE]-\d{3,}|0\.0{200}\d*(?:[eE][+-]?\d+)?)/g;
  const hasDigit = /^[0.]*[1-9]/;
  /** JSON of a number that JSON.parse makes infinite. */
  const overflowingNumber = '1e999';
  const noItems: readonly unknown[] = [];
  /** The characters that may follow the backslash of an escape. */
  const escapable = '"\\/bfnrtu';

  const rules = {
    parseJsonText(text: string): unknown {
      // Checked before JSON.parse, even if the text is not valid JSON: V8 remembers the names before the fault.
      if (rules.refusedName(text) !== undefined)
        throw new SyntaxError('A name has a backslash that could be read as an escape');
      const value: unknown = JSON.parse(text);
      const marked = rules.markUnderflows(text);
      return marked === text ? value : JSON.parse(marked);
    },

    refusedName(text: string): string | undefined {
      // JSON has backslashes only in strings, so the quotation marks nearest to the first backslash enclose its string.
      for (let at = text.indexOf('\\'); at !== -1;) {
        const end = rules.endOfString(text, at);
        if (end === -1) return undefined;
        if (rules.isBeforeColon(text, end + 1)) {
          const name = rules.tryDecodeString(text.slice(text.lastIndexOf('"', at), end + 1));
          if (name === undefined) return undefined;
          if (rules.isRefusedName(name)) return name;
        }
        at = text.indexOf('\\', end + 1);
      }
      return undefined;
    },

    /** The position of the quotation mark that ends a string whose first backslash is at `from`; -1 if the string does not end. */
    endOfString(text: string, from: number): number {
      for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
        let backslash = end - 1;
        while (backslash >= from && text[backslash] === '\\') backslash -= 1;
        if ((end - backslash) % 2 === 1) return end;
      }
      return -1;
    },

    isBeforeColon(text: string, from: number): boolean {
      let at = from;
      while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
      return text[at] === ':';
    },

    tryDecodeString(json: string): string | undefined {
      try {
        return JSON.parse(json);
      } catch {
        return undefined;
      }
    },

    isRefusedName(name: string): boolean {
      let at = name.indexOf('\\');
      if (at === -1) return false;
      // The character after a backslash belongs to it, even if it is another backslash.
      for (; at !== -1; at = name.indexOf('\\', at + 2)) {
        if (at + 1 < name.length && !escapable.includes(name.charAt(at + 1))) return false;
      }
      return true;
    },

    /** Replaces each number that underflows to 0 by one that becomes infinite, so that one check finds too small and too large numbers. */
    markUnderflows(text: string): string {
      if (!mayBecomeZero.test(text)) return text;
      // A reviver could see each number's text, but takes seconds for a megabyte of small nodes.
      return text.replace(stringsAndSmallNumbers, (match) => (rules.underflows(match) ? overflowingNumber : match));
    },

    underflows(match: string): boolean {
      return !match.startsWith('"') && Number(match) === 0 && hasDigit.test(match);
    },

    jsonObstacle(value: unknown, maxDepth = defaultMaxDepth): JsonObstacle | undefined {
      if (typeof value !== 'object' || value === null) {
        return typeof value === 'number' && !Number.isFinite(value) ? 'number' : undefined;
      }
      if (maxDepth === 0) return 'depth';
      for (const item of rules.itemsOf(value)) {
        const obstacle = rules.jsonObstacle(item, maxDepth - 1);
        if (obstacle !== undefined) return obstacle;
      }
      return undefined;
    },

    comparableName(name: string): string {
      return name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();
    },

    /**
     * The items of a list or object. Empty ones share one constant, because a megabyte of JSON may have half a million nodes, and allocations
     * decide the cost of visiting them.
     */
    itemsOf(value: object): readonly unknown[] {
      if (Array.isArray(value)) return value;
      for (const _ in value) return Object.values(value);
      return noItems;
    },
  };
  return rules;
}

export const { parseJsonText, jsonObstacle, refusedName, isRefusedName, comparableName } = jsonRules(MAX_DEPTH);

const MAX_SHOWN_CHARACTERS = 60;

/** The predicate of a sentence about a text with this name. It quotes the name, which is not a secret; messages never quote values. */
export function messageOfRefusedName(name: string): string {
  const shown = name.length > MAX_SHOWN_CHARACTERS ? `${name.slice(0, MAX_SHOWN_CHARACTERS)}…` : name;
  const printable = JSON.stringify(shown).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{25a1}');
  return `the name ${printable} has a backslash that could be read as an escape; use another name`;
}

/** Why `parseJsonText` refused this text. */
export function problemOfText(text: string): string {
  const name = refusedName(text);
  return name === undefined ? 'is not valid JSON' : messageOfRefusedName(name);
}
