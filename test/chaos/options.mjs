import { parseArgs } from 'node:util';
import { readCount } from '../../scripts/lib/read-count.mjs';

export const USAGE = `npm run chaos -- [options]
  --seconds N     undisturbed load after the repair of each fault (default 3)
  --callers N     callers that start processes at the same time (default 200)
  --pause N       milliseconds that a caller waits between two starts (default 4000)
  --replicas N    replicas of each service (default 2)
  --only A,B      only the faults whose names contain one of these texts
  --short         one replica of each service, one fault that is not repaired, no bar of time: the form of npm test
  --logs DIR      keeps the logs of all programs there
  --json FILE     also writes the results as JSON`;

/** Defaults of the usual form and of the short one. */
const FULL = { seconds: 3, callers: 200, pause: 4_000, replicas: 2 };
const SHORT = { seconds: 1, callers: 20, pause: 1_500, replicas: 1, only: ['killed together'] };

/** The options of the command line. Throws with a sentence about the first wrong one. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string' },
      callers: { type: 'string' },
      pause: { type: 'string' },
      replicas: { type: 'string' },
      only: { type: 'string' },
      short: { type: 'boolean', default: false },
      logs: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const usual = values.short ? SHORT : FULL;
  return {
    ...values,
    seconds: readCount('--seconds', values.seconds, usual.seconds),
    callers: readCount('--callers', values.callers, usual.callers),
    pause: readCount('--pause', values.pause, usual.pause),
    replicas: readCount('--replicas', values.replicas, usual.replicas),
    only: values.only?.split(',') ?? usual.only,
  };
}
