'use strict';
const { withoutValues } = require('../sql-text.cjs');

/** Characters by which statements are told apart. InnoDB shows at most 1,024 characters of a statement, and may cut them within a value. */
const TEXT_CHARACTERS = 100;

/**
 * Groups the statements that waited for a row lock in any of a number of samples (`samples`), as `{ text, lock, mode, waiting }`, most first.
 * `waiting` is the mean number of these statements that waited in a sample. The name of the schema is left out, so that installations can be
 * compared.
 */
function countWaits(rows, samples) {
  const groups = new Map();
  for (const row of rows) {
    const text = withoutValues(row.text ?? '(between statements)').slice(0, TEXT_CHARACTERS);
    const lock = `${row.lockTable.replaceAll('`', '').split('.').at(-1)}.${row.lockIndex}`;
    const key = `${text} ${lock} ${row.mode}`;
    const group = groups.get(key) ?? { text, lock, mode: row.mode, count: 0 };
    groups.set(key, group);
    group.count += 1;
  }
  return [...groups.values()]
    .toSorted((a, b) => b.count - a.count)
    .map(({ count, ...group }) => ({ ...group, waiting: count / samples }));
}

module.exports = { countWaits };
