'use strict';
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * The files that take longest, by a part of their paths below test/, roughly the slowest first. Tests of faults wait for most of their time
 * and leave a processor to other files; therefore they alternate with files of the other kind.
 */
const SLOWEST_FILES = [
  'groups/e2e/console-web.',
  'e2e/faults/outages.',
  'groups/e2e/stories.',
  'e2e/faults/schedule-kills.',
  'groups/unit/execution.',
  'e2e/faults/random-faults.',
  'abuse/',
  'groups/unit/libs.',
  'e2e/faults/upgrade.',
  'groups/e2e/webhooks.',
  'e2e/faults/kill-points.',
  'groups/unit/agent-all-in-one.',
  'e2e/faults/webhook-kill-points.',
  'groups/unit/router.',
  'e2e/faults/webhook-random-faults.',
  'groups/unit/console.',
  'e2e/faults/evidence-kill-points.',
  'groups/unit/test-unit.',
  'groups/e2e/browser.',
  'e2e/faults/',
  'groups/unit/',
  'fuzz/',
];

/**
 * By itself Jest starts the files first that took longest in its last run, or without an earlier run the largest ones. In a run without an earlier
 * one the order of SLOWEST_FILES replaces the order by size, because the file of a group is tiny, and a slow file that starts last prolongs the
 * whole run.
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
