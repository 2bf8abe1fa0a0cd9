// Readers of search parameters. A URL may contain anything, and an invalid value counts as absent.

/** Reads a text that is not empty. The router reads `?q=42` as a number, so a number counts as its text. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;

/** Makes a reader of one of the words. */
export const oneOf =
  <const Word extends string>(words: readonly Word[]) =>
  (value: unknown): Word | undefined =>
    words.find((word) => word === value);

/** Makes a reader of several of the words, separated by commas; it returns the known ones, also separated by commas, in the order of `words`. */
export const someOf =
  (words: readonly string[]) =>
  (value: unknown): string | undefined => {
    const given = typeof value === 'string' ? value.split(',') : [];
    return words.filter((word) => given.includes(word)).join(',') || undefined;
  };

type Readers = Record<string, (value: unknown) => unknown>;
type Params<Of extends Readers> = { [Name in keyof Of]?: Exclude<ReturnType<Of[Name]>, undefined> };

/** Makes the `validateSearch` of a route, such as `searchParams({ q: text, status: oneOf(STATUSES) })`. */
export function searchParams<Of extends Readers>(readers: Of) {
  return (search: Record<string, unknown>): Params<Of> => {
    const params: Params<Of> = {};
    for (const name in readers) {
      const value = readers[name]?.(search[name]);
      if (value !== undefined) Object.assign(params, { [name]: value });
    }
    return params;
  };
}
