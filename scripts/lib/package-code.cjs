'use strict';
const { minifySync } = require('@swc/core');

/** Makes the code as small as it gets while no named function or class is renamed, and nothing is merged or left out. */
const OPTIONS = {
  compress: false,
  mangle: { keep_fnames: true, keep_classnames: true },
  module: 'unknown',
  sourceMap: false,
  format: { asciiOnly: true, comments: false },
};

/**
 * A loader of the bundler for the code of packages. It removes comments and spaces and shortens the names of variables, because a program
 * keeps its own text in memory. Packages are not in the source map, which would be ten times as large with them.
 */
module.exports = function packageCode(code) {
  const map = { version: 3, sources: [], names: [], mappings: '' };
  this.callback(null, minifySync(code, OPTIONS).code, map);
};
