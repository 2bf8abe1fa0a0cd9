import { parseArgs } from 'node:util';
import { readCount } from '../../scripts/lib/read-count.mjs';

export const USAGE = `npm run upgrade -- [REF] [options]
  REF             the previous release, a commit, tag or branch (default: previousRelease.commit of package.json)
  --seconds N     undisturbed load of both releases together (default 70)
  --callers N     callers that start processes at the same time (default 40)
  --pause N       milliseconds that a caller waits between two starts (default 1500)
  --replicas N    replicas of each service in each release (default 2)
  --short         one replica of each service, all services replaced together: the form of npm test
  --or-itself     where the clone lacks the previous release, this build stands in for it, and the report says so
  --logs DIR      keeps the logs of all programs there
  --json FILE     also writes the results as JSON`;

/** Defaults of the usual form and of the short one. The usual one runs both releases for more than a minute, in which each minute's schedule fires. */
const FULL = { seconds: 70, callers: 40, pause: 1_500, replicas: 2 };
const SHORT = { seconds: 3, callers: 8, pause: 2_000, replicas: 1 };

/** The options of the command line. Throws with a sentence about the first wrong one. */
export function readOptions(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      seconds: { type: 'string' },
      callers: { type: 'string' },
      pause: { type: 'string' },
      replicas: { type: 'string' },
      short: { type: 'boolean', default: false },
      'or-itself': { type: 'boolean', default: false },
      logs: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (positionals.length > 1) throw new Error(`one REF, not ${positionals.length}`);
  const usual = values.short ? SHORT : FULL;
  return {
    ...values,
    ref: positionals[0],
    orItself: values['or-itself'],
    seconds: readCount('--seconds', values.seconds, usual.seconds),
    callers: readCount('--callers', values.callers, usual.callers),
    pause: readCount('--pause', values.pause, usual.pause),
    replicas: readCount('--replicas', values.replicas, usual.replicas),
  };
}
