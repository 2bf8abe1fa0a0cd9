import type { JsonObstacle, JsonRules } from './json-rules';

/**
 * The fields of a body. A long list is null in `fields`, and so is a long list, object or string in a field that is an object; `raw` has
 * their JSON texts, each with the names that lead to its value: `[field]`, or `[field, name]` for a value in an object.
 */
export type ReadFieldsResult =
  | { fields: Record<string, unknown>; raw: { path: [string] | [string, string]; text: string }[] }
  | { problem: 'encoding' | 'syntax' | 'no object' }
  | { problem: 'name'; name: string };

/** The JSON of the list or object that a text describes, or why it is refused; with neither field the text describes none. */
export interface StructureResult {
  json?: string;
  obstacle?: JsonObstacle;
}

export interface JsonTasks {
  /**
   * Reads the fields with these names of a JSON object in UTF-8. A list, and a list, object or string in a field that is an object, is
   * returned as JSON text when that text has 256 characters or more. Of a field that is an object with more than `maxNames` names only
   * the first `maxNames` are kept. A value that JSON cannot carry is replaced by a small value with the same obstacle. The first other
   * spelling of each name is returned as a field with the value true, so that it can be refused.
   */
  readFields(bytes: Uint8Array, names: readonly string[], maxNames: number): ReadFieldsResult;
  /** The JSON of a Lista, from its text: a JSON array, or items separated by commas (contract 2.6, interpretation 34). */
  jsonOfListText(text: string): StructureResult;
  /** The JSON of an Objeto, from its text: a JSON object or array (contract 2.6, interpretation 34). */
  jsonOfObjectText(text: string): StructureResult;
  /** The JSON of a value with sorted keys. */
  canonicalJson(json: string): string;
}

/** Makes the tasks. It refers to nothing outside of itself, because JsonThread runs the source text of this function in a worker. */
export function jsonTasks({ parseJsonText, refusedName, jsonObstacle, comparableName }: JsonRules): JsonTasks {
  /**
   * Length from which a value becomes JSON text. Shorter values are cheap to copy between threads, because their number is
   * limited: for a request by `maxNames`, for the values of a schedule when they are stored.
   */
  const longLength = 256;
  const decoder = new TextDecoder('utf-8', { fatal: true });

  const tasks = {
    isStructure(value: unknown): value is object {
      return typeof value === 'object' && value !== null;
    },

    tryParse(text: string): unknown {
      try {
        return parseJsonText(text);
      } catch {
        return undefined;
      }
    },

    tryDecode(bytes: Uint8Array): string | undefined {
      try {
        return decoder.decode(bytes);
      } catch {
        return undefined;
      }
    },

    readFields(bytes: Uint8Array, names: readonly string[], maxNames: number): ReadFieldsResult {
      const text = tasks.tryDecode(bytes);
      if (text === undefined) return { problem: 'encoding' };
      const body = tasks.tryParse(text);
      if (body === undefined) {
        const name = refusedName(text);
        return name === undefined ? { problem: 'syntax' } : { problem: 'name', name };
      }
      if (!tasks.isStructure(body) || Array.isArray(body)) return { problem: 'no object' };
      const fields: [string, unknown][] = [];
      const raw: { path: [string] | [string, string]; text: string }[] = [];
      for (const name of names) {
        if (!Object.hasOwn(body, name)) continue;
        const value: unknown = Reflect.get(body, name);
        if (!tasks.isStructure(value) || Array.isArray(value)) fields.push([name, tasks.shorten(value, [name], raw)]);
        else fields.push([name, tasks.shortenFields(value, name, maxNames, raw)]);
      }
      for (const name of tasks.otherSpellings(body, names)) fields.push([name, true]);
      return { fields: Object.fromEntries(fields), raw };
    },

    otherSpellings(body: object, names: readonly string[]): string[] {
      const comparableNames = new Set(names.map((name) => comparableName(name)));
      return Object.keys(body).filter((name) => !names.includes(name) && comparableNames.delete(comparableName(name)));
    },

    shortenFields(
      value: object,
      field: string,
      maxNames: number,
      raw: { path: [string] | [string, string]; text: string }[],
    ): object {
      const kept: [string, unknown][] = [];
      for (const [name, item] of Object.entries(value)) {
        const isKept = kept.length < maxNames;
        const short = isKept ? tasks.shorten(item, [field, name], raw) : item;
        if (isKept) kept.push([name, short]);
        // Beyond `maxNames`, names are left out, because too many names are refused later. Only a value that JSON cannot carry is kept,
        // because its refusal comes first.
        else if (jsonObstacle(item) !== undefined)
          return Object.fromEntries([...kept, [name, tasks.shorten(item, [field, name], raw)]]);
      }
      return Object.fromEntries(kept);
    },

    shorten(
      value: unknown,
      path: [string] | [string, string],
      raw: { path: [string] | [string, string]; text: string }[],
    ): unknown {
      const obstacle = jsonObstacle(value);
      if (obstacle === 'number') return Infinity;
      if (obstacle === 'depth') return JSON.parse('['.repeat(101) + ']'.repeat(101));
      const isInner = path.length > 1;
      if (!tasks.isStructure(value) && !(isInner && typeof value === 'string')) return value;
      const text = JSON.stringify(value);
      if (text.length < longLength) return value;
      raw.push({ path, text });
      return null;
    },

    jsonOf(value: object): StructureResult {
      const obstacle = jsonObstacle(value);
      return obstacle === undefined ? { json: JSON.stringify(value) } : { obstacle };
    },

    jsonOfListText(text: string): StructureResult {
      const trimmed = text.trim();
      const value = tasks.tryParse(trimmed);
      if (Array.isArray(value)) return tasks.jsonOf(value);
      // A text that begins like a JSON array and has a refused name (a backslash that could be read as an escape, interpretation 62) is refused,
      // and not split at its commas like a text with items.
      if (trimmed.startsWith('[') && refusedName(trimmed) !== undefined) return { obstacle: 'name' };
      return { json: JSON.stringify(trimmed === '' ? [] : trimmed.split(',').map((item) => item.trim())) };
    },

    jsonOfObjectText(text: string): StructureResult {
      const value = tasks.tryParse(text.trim());
      if (tasks.isStructure(value)) return tasks.jsonOf(value);
      return value === undefined && refusedName(text) !== undefined ? { obstacle: 'name' } : {};
    },

    canonicalTextOf(value: unknown): string {
      if (!tasks.isStructure(value)) return JSON.stringify(value);
      if (Array.isArray(value)) return `[${value.map((item) => tasks.canonicalTextOf(item)).join(',')}]`;
      const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
      return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${tasks.canonicalTextOf(each)}`).join(',')}}`;
    },

    canonicalJson(json: string): string {
      return tasks.canonicalTextOf(JSON.parse(json));
    },
  };
  return tasks;
}
