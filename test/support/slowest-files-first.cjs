'use strict';
const { default: Sequencer } = require('@jest/test-sequencer');

/** The files that take longest, slowest first. */
const SLOWEST_FILES = [
  'groups/e2e/console-web.',
  'groups/e2e/stories.',
  'groups/unit/execution.',
  'e2e/faults/schedule-kills.',
  'abuse/',
  'groups/e2e/webhooks.',
  'groups/unit/agent-all-in-one.',
  'groups/unit/libs.',
  'groups/unit/test-unit.',
  'e2e/faults/upgrade.',
  'e2e/faults/random-faults.',
  'groups/unit/console.',
  'e2e/faults/kill-points.',
  'e2e/faults/webhook-kill-points.',
  'groups/unit/',
  'e2e/faults/',
  'groups/e2e/browser.',
  'fuzz/',
];

/**
 * Jest starts the files that took longest in its last run first, and without an earlier run the largest ones. On a new
 * checkout this order takes its place: a slow file that starts last prolongs the whole run, and a group is a tiny file.
 */
module.exports = class SlowFirstSequencer extends Sequencer {
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of the sequencer, not of an array
    const sorted = super.sort(tests);
    const known = sorted.some(({ duration }) => duration !== undefined);
    return known ? sorted : sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
};

function rankOf({ path }) {
  const rank = SLOWEST_FILES.findIndex((part) => path.replaceAll('\\', '/').includes(`/${part}`));
  return rank < 0 ? SLOWEST_FILES.length : rank;
}
