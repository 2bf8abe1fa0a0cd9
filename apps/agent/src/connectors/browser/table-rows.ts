import { StepError } from '../../step-error';

/** Maximum number of characters of the names in all rows together: a page may have a column with a long name in each of many short rows. */
const MAX_NAME_CHARACTERS = 10_000_000;

/**
 * Turns rows of texts into objects whose names are the texts of the first row; an empty name becomes `column N`, a
 * repeated one `name_2`. Throws StepError above MAX_NAME_CHARACTERS.
 */
export function tableRows([header = [], ...rows]: string[][]): Record<string, string>[] {
  const width = rows.reduce((longest, { length }) => Math.max(longest, length), header.length);
  const names = namesOf(header, width);
  const characters = names.reduce((sum, { length }) => sum + length, 0);
  if (characters * rows.length > MAX_NAME_CHARACTERS) {
    throw new StepError(`the table is too large: ${rows.length} rows with ${width} columns`);
  }
  return rows.map((row) => Object.fromEntries(names.map((name, column) => [name, row[column] ?? ''])));
}

function namesOf(header: readonly string[], width: number): string[] {
  const taken = new Set<string>();
  /** The number from which a free one is searched for each repeated name. A search from 2 on would take minutes for thousands of equal names. */
  const nextNumbers = new Map<string, number>();
  for (let column = 0; column < width; column += 1) {
    const name = (header[column] ?? '').replaceAll(/\s+/g, ' ') || `column ${column + 1}`;
    let unique = name;
    let number = nextNumbers.get(name) ?? 2;
    for (; taken.has(unique); number += 1) unique = `${name}_${number}`;
    nextNumbers.set(name, number);
    taken.add(unique);
  }
  return [...taken];
}
