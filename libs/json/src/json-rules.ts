/** The reasons why a value cannot be sent as JSON: too deep nesting, or a number that no double holds, which JSON writes as null. */
export type JsonObstacle = 'depth' | 'number';

export interface JsonRules {
  /**
   * JSON.parse, but a number that no double holds never becomes another number: both `1e400` and `1e-400` become infinite, which
   * `jsonObstacle` finds. Other numbers become the nearest double. Throws SyntaxError.
   */
  parseJsonText: (text: string) => unknown;
  /**
   * The first obstacle in a value, which is itself the first level of lists and objects. The recursion ends at `maxDepth`, so that
   * no value overflows the stack.
   */
  jsonObstacle: (value: unknown, maxDepth?: number) => JsonObstacle | undefined;
}

/** Maximum levels of lists and objects. Deeper nesting overflows the stack of JSON.stringify; real payloads have fewer than 20. */
export const MAX_DEPTH = 100;

/**
 * Refers to nothing outside of itself: JsonThread runs its source text. Methods in place of functions: bundlers wrap named functions in
 * calls of a function of their own, to keep the names.
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

  const rules = {
    parseJsonText(text: string): unknown {
      const value: unknown = JSON.parse(text);
      const marked = rules.markVanished(text);
      return marked === text ? value : JSON.parse(marked);
    },

    /** The JSON text with a number that becomes infinite in the place of each one that would become 0. */
    markVanished(text: string): string {
      if (!mayBecomeZero.test(text)) return text;
      // A reviver could see each number's text, but takes seconds for a megabyte of small nodes.
      return text.replace(stringsAndSmallNumbers, (match) => (rules.hasVanished(match) ? unheld : match));
    },

    hasVanished(match: string): boolean {
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

    /** A megabyte may have half a million nodes, so that one allocation per node decides the cost of a walk: empty ones cost none. */
    itemsOf(value: object): readonly unknown[] {
      if (Array.isArray(value)) return value;
      for (const _ in value) return Object.values(value);
      return noItems;
    },
  };
  return rules;
}

export const { parseJsonText, jsonObstacle } = jsonRules(MAX_DEPTH);
