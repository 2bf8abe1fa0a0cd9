'use strict';

/** A loader for packages: no line of theirs is in the source map, which would be ten times as large. */
module.exports = function withoutLines(code) {
  this.callback(null, code, { version: 3, sources: [], names: [], mappings: '' });
};
