'use strict';
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Jest starts the files that took longest in its last run first, and without an earlier run the largest ones. On a new
 * checkout the tests of faults are the slowest, so they come first: a slow file that starts last prolongs the whole run.
 */
module.exports = class SlowFirstSequencer extends Sequencer {
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of the sequencer, not of an array
    const sorted = super.sort(tests);
    const known = sorted.some(({ duration }) => duration !== undefined);
    if (known) return sorted;
    const isSlow = ({ path }) => /[\\/](abuse|faults|fuzz)[\\/]|(console|execution|libs|stories)\.group/.test(path);
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
};
