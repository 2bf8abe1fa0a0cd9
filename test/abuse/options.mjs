import { parseArgs } from 'node:util';
import { readCount } from '../../scripts/lib/read-count.mjs';

export const USAGE = `npm run abuse -- [options]
  --seconds N     length of the attack (default 60)
  --seed N        selects the random bytes and texts of the attack (default 1)
  --rate N        starts per second of the neighbour (default 40)
  --only A,B      only these tricks
  --each N        before the attack, each trick alone for N seconds: which one the neighbour notices most
  --short         each trick once, one after the other, and no bar of time: the form of npm test
  --logs DIR      keeps the logs of the services there
  --profile DIR   CPU profiles of the services; such a run measures no speed
  --json FILE     also writes the measured values as JSON`;

/** The options of the command line. Throws with a sentence about the first wrong one. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string' },
      seed: { type: 'string' },
      rate: { type: 'string' },
      only: { type: 'string' },
      each: { type: 'string' },
      short: { type: 'boolean', default: false },
      logs: { type: 'string' },
      profile: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    ...values,
    seconds: readCount('--seconds', values.seconds, 60),
    seed: readCount('--seed', values.seed, 1),
    rate: readCount('--rate', values.rate, values.short ? 20 : 40),
    only: values.only?.split(','),
    each: values.each === undefined ? undefined : readCount('--each', values.each),
  };
}
