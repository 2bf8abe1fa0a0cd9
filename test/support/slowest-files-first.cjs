'use strict';
const { default: Sequencer } = require('@jest/test-sequencer');

/** The files that take longest, slowest first. */
const SLOWEST_FILES = [
  'groups/e2e/console-web.',
  'e2e/faults/kill-points.',
  'groups/e2e/stories.',
  'e2e/faults/schedule-kills.',
  'e2e/faults/webhook-kill-points.',
  'groups/e2e/webhooks.',
  'e2e/faults/',
  'abuse/',
  'fuzz/',
  'groups/unit/execution.',
  'groups/unit/console.',
  'groups/unit/libs.',
  'groups/unit/gateway.',
  'groups/unit/agent-all-in-one.',
  'groups/unit/schedule-webhook.',
  'groups/unit/router.',
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
