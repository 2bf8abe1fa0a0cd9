/**
 * Turns rows of texts into objects whose names are the texts of the first row; an empty name becomes `column N`, a
 * repeated one `name_2`.
 */
export function tableRows([header = [], ...rows]: string[][]): Record<string, string>[] {
  const width = Math.max(header.length, ...rows.map(({ length }) => length));
  const names: string[] = [];
  for (let column = 0; column < width; column += 1) {
    const name = (header[column] ?? '').replaceAll(/\s+/g, ' ') || `column ${column + 1}`;
    let unique = name;
    for (let number = 2; names.includes(unique); number += 1) unique = `${name}_${number}`;
    names.push(unique);
  }
  return rows.map((row) => Object.fromEntries(names.map((name, column) => [name, row[column] ?? ''])));
}
