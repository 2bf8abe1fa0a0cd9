'use strict';

/** The text of a statement with `?` for each value: equal for statements that differ only in values, in the length of lists or in the number of rows. */
function withoutValues(sql) {
  return sql
    .replaceAll(/_binary\s*'(?:[^'\\]|\\.|'')*'|x'[0-9a-f]*'|'(?:[^'\\]|\\.|'')*'/gis, '?')
    .replaceAll(/\b\d+(\.\d+)?\b/g, '?')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\?(, \?)+/g, '?')
    .replaceAll(/(\((?:\?|NULL|UTC_TIMESTAMP\(\?\)|, |true|false)+\))(, ?\([^()]*(\([^()]*\)[^()]*)*\))+/g, '$1')
    .replaceAll(/(\([^()]*\)|SELECT [^()]*) UNION ALL \1( UNION ALL \1)*/g, '$1')
    .replace(/;\s*$/, '')
    .trim();
}

module.exports = { withoutValues };
