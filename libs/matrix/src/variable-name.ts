const LONGEST = 80;

/**
 * What is wrong with the name of a Matrix variable, worded to follow it, or undefined (contract 2.5). Whether it is taken
 * by a system variable or by another one is not known here.
 */
export function variableNameProblem(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (/^\d/.test(name)) return 'starts with a digit';
  if (!/^\w+$/.test(name)) return 'has something other than letters without accents, digits and underscores';
  // The one name that no plain object can carry as a key.
  return name === '__proto__' ? 'is reserved' : undefined;
}
