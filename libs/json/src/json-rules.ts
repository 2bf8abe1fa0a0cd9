/**
 * The reasons why a value cannot be sent as JSON: too deep nesting, a number that no double holds, which JSON writes as null, or in a
 * text a name that `refusedName` finds.
 */
export type JsonObstacle = 'depth' | 'number' | 'name';

export interface JsonRules {
  /**
   * JSON.parse, but a number that no double holds never becomes another number: both `1e400` and `1e-400` become infinite, which
   * `jsonObstacle` finds. Other numbers become the nearest double. Throws SyntaxError, also for a text with a refused name.
   */
  parseJsonText: (text: string) => unknown;
  /**
   * The first name of an object in a JSON text that must not reach JSON.parse (interpretation 62). V8 compares a name with the one
   * that an earlier object had at this place before it decodes escapes: after the name `caf\` it reads `caf\u00e9` as `caf\`, in every
   * later text of the process (nodejs/node#63785). Any text is allowed; of one that is not JSON, the names before the fault count.
   * The time is linear.
   */
  refusedName: (text: string) => string | undefined;
  /** Whether V8 may read a later, escaped name as this one: each backslash of it stands at the end or begins an escape. */
  isRefusedName: (name: string) => boolean;
  /**
   * The first obstacle in a value, which is itself the first level of lists and objects. The recursion ends at `maxDepth`, so that
   * no value overflows the stack.
   */
  jsonObstacle: (value: unknown, maxDepth?: number) => JsonObstacle | undefined;
}

/** Maximum levels of lists and objects. Deeper nesting overflows the stack of JSON.stringify; real payloads have fewer than 20. */
export const MAX_DEPTH = 100;

/**
 * Refers to nothing outside of itself, because JsonThread runs its source text in a worker. It has methods instead of functions:
 * bundlers wrap named functions in calls of a function of their own, to keep the names.
 */
export function jsonRules(defaultMaxDepth: number): JsonRules {
  /** Matches a number that may become 0: an exponent such as `e-400`, or hundreds of zeros behind the point. */
  const mayBecomeZero = /\d[eE]-\d{3,}\s*(?:[,\]}]|$)|0\.0{200}/;
  /** Strings, which are skipped, and numbers of those forms. Each character belongs to one match at most: the time is linear. */
  const stringsAndSmallNumbers = /"(?:[^"\\]|\\.)*"|(?<![\d.])(?:\d[\d.]*[eE]-\d{3,}|0\.0{200}\d*(?:[eE][+-]?\d+)?)/g;
  const hasDigit = /^[0.]*[1-9]/;
  /** JSON of a number that JSON.parse makes infinite. */
  const unheld = '1e999';
  const noItems: readonly unknown[] = [];
  /** The characters that may follow the backslash of an escape. */
  const escapable = '"\\/bfnrtu';

  const rules = {
    parseJsonText(text: string): unknown {
      // Also a text that is refused later must not be parsed: V8 remembers the names before a fault.
      if (rules.refusedName(text) !== undefined)
        throw new SyntaxError('A name has a backslash that could be read as an escape');
      const value: unknown = JSON.parse(text);
      const marked = rules.markUnderflows(text);
      return marked === text ? value : JSON.parse(marked);
    },

    refusedName(text: string): string | undefined {
      // Outside of strings JSON has no backslash. So the first one is in a string, whose quotation marks are the nearest ones.
      for (let at = text.indexOf('\\'); at !== -1;) {
        const end = rules.endOfString(text, at);
        if (end === -1) return undefined;
        if (rules.isBeforeColon(text, end + 1)) {
          const name = rules.decodedString(text.slice(text.lastIndexOf('"', at), end + 1));
          if (name === undefined) return undefined;
          if (rules.isRefusedName(name)) return name;
        }
        at = text.indexOf('\\', end + 1);
      }
      return undefined;
    },

    /** The position of the quotation mark that ends the string with its first backslash at `from`; -1 without one. */
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

    decodedString(json: string): string | undefined {
      try {
        return JSON.parse(json);
      } catch {
        return undefined;
      }
    },

    isRefusedName(name: string): boolean {
      let at = name.indexOf('\\');
      if (at === -1) return false;
      // The character behind a backslash belongs to it, also if it is another backslash.
      for (; at !== -1; at = name.indexOf('\\', at + 2)) {
        if (at + 1 < name.length && !escapable.includes(name.charAt(at + 1))) return false;
      }
      return true;
    },

    /** Replaces each number that underflows to 0 by one that becomes infinite, so that the check for infinite numbers finds both. */
    markUnderflows(text: string): string {
      if (!mayBecomeZero.test(text)) return text;
      // A reviver could see each number's text, but takes seconds for a megabyte of small nodes.
      return text.replace(stringsAndSmallNumbers, (match) => (rules.underflows(match) ? unheld : match));
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

    /**
     * A megabyte of JSON may have half a million nodes, so that allocations decide the cost of a walk: empty lists and objects share one constant.
     */
    itemsOf(value: object): readonly unknown[] {
      if (Array.isArray(value)) return value;
      for (const _ in value) return Object.values(value);
      return noItems;
    },
  };
  return rules;
}

export const { parseJsonText, jsonObstacle, refusedName, isRefusedName } = jsonRules(MAX_DEPTH);

const MAX_SHOWN_CHARACTERS = 60;

/** Completes a sentence about a text with this name. Names are no secrets, unlike values, which no message quotes. */
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
