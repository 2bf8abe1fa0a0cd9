/** Maximum length of a step's name in characters (code points), as in the JSON Schema of the flow. */
export const MAX_NAME_LENGTH = 80;

export type StepNameProblem = 'empty' | 'too-long' | 'taken';

/** The rule that the new name of a step breaks; undefined for a good name. `taken` = the names of the other steps. */
export function stepNameProblem(name: string, taken: Iterable<string>): StepNameProblem | undefined {
  if (name.trim() === '') return 'empty';
  if (Array.from(name).length > MAX_NAME_LENGTH) return 'too-long';
  return new Set(taken).has(name) ? 'taken' : undefined;
}

/** The name if it is free, otherwise the name with the first free number: `send`, `send 2`, `send 3`. */
export function uniqueName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const base = name.replace(/ \d+$/u, '');
  for (let number = 2; ; number++) {
    const suffix = ` ${number}`;
    const candidate = `${Array.from(base)
      .slice(0, MAX_NAME_LENGTH - suffix.length)
      .join('')}${suffix}`;
    if (!taken.has(candidate)) return candidate;
  }
}
