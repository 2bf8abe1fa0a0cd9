const MAX_NAME_LENGTH = 80;

/**
 * The rule that the name of a Matrix variable breaks, as the predicate of a sentence about the name; undefined for a valid name
 * (contract 2.5). The caller checks for names of system variables and for duplicates.
 */
export function variableNameProblem(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > MAX_NAME_LENGTH) return `is longer than ${MAX_NAME_LENGTH} characters`;
  if (/^\d/.test(name)) return 'starts with a digit';
  if (!/^\w+$/.test(name)) return 'has something other than letters without accents, digits and underscores';
  // `__proto__` is refused, because it is the only name that a plain object cannot have as a key.
  return name === '__proto__' ? 'is reserved' : undefined;
}
