import { parseArgs } from 'node:util';
import { readCount } from '../scripts/lib/read-count.mjs';

/**
 * Time for which each target is under load before it is measured. V8 compiles the functions of the gateway for about a minute of load, and until
 * then a start costs a fifth more processor time than later; the targets of the product, which share its services, make up this minute together.
 */
const WARM_UP_SECONDS = 20;

export const USAGE = `npm run bench -- [options]
  --seconds N     length of one measurement (default 3); each target is under load for 20 seconds before the first
  --rounds N      interleaved rounds (default 3)
  --quick         one-second measurements, two rounds, to check that everything runs
  --generator G   autocannon (default) or wrk, which must be on the PATH
  --json FILE     also writes the results as JSON
  --strict        exit code 2 when a bar is missed
  --beside DIR    single starts, throughput and processor time, in turns with the built checkout in DIR
  --young LIST    throughput, processor time and memory with these sizes of a semi-space of V8's young generation, MB, such as 2,8,16
  --peers         starts and awaited answers beside Restate, BullMQ and pg-boss, which it installs in .local
  --console-web   only how long pages of the console take in Chromium, and its memory
  --openings N    of each page by --console-web (default 15)
  --long-work     only how long others wait beside long work
  --instances N   of the process that --long-work deletes (default 1000000)
  --queued N      instances of the queue that it cancels, and rows for retention (default 100000)
  --grown         the same work on an empty and on a grown database: times, and the rows that each statement reads
  --scale S       of --grown, 0.001 to 1; 1 = 10 million ended instances (default 0.01)
  --calls N       of --grown: calls of each operation and database (default 100)
  --due N         of --grown: schedules due in the same second, 0 = none (default 10000)
  --start-up      only how long services and npm start take to start, and the memory of all services in one process
  --scale-out     starts with several gateways and executions, in turns with one of each, on one MariaDB and one NATS
  --replicas LIST of each by --scale-out (default 2,4,8)
  --profile DIR   CPU profiles of gateway, execution, router and webhook; such a run measures no speed`;

/** The options of the command line with their defaults. Throws an error whose message is a sentence about the first wrong one. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      generator: { type: 'string', default: 'autocannon' },
      json: { type: 'string' },
      strict: { type: 'boolean', default: false },
      beside: { type: 'string' },
      young: { type: 'string' },
      peers: { type: 'boolean', default: false },
      'console-web': { type: 'boolean', default: false },
      openings: { type: 'string' },
      'long-work': { type: 'boolean', default: false },
      instances: { type: 'string' },
      queued: { type: 'string' },
      grown: { type: 'boolean', default: false },
      scale: { type: 'string', default: '0.01' },
      calls: { type: 'string' },
      due: { type: 'string' },
      'start-up': { type: 'boolean', default: false },
      'scale-out': { type: 'boolean', default: false },
      replicas: { type: 'string', default: '2,4,8' },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (!['autocannon', 'wrk'].includes(values.generator)) throw new Error('--generator: autocannon or wrk');
  return {
    ...values,
    seconds: readCount('--seconds', values.seconds, values.quick ? 1 : 3, 60),
    rounds: readCount('--rounds', values.rounds, values.quick ? 2 : 3, 60),
    warmUpSeconds: values.quick ? 1 : WARM_UP_SECONDS,
    consoleWeb: values['console-web'],
    openings: readCount('--openings', values.openings, values.quick ? 3 : 15, 1_000),
    startUp: values['start-up'],
    scaleOut: values['scale-out'],
    replicas: values.replicas.split(',').map((text) => readCount('--replicas', text, undefined, 16)),
    young: values.young?.split(',').map((text) => readCount('--young', text, undefined, 128)),
    longWork: values['long-work'],
    instances: readCount('--instances', values.instances, 1_000_000, 10_000_000),
    queued: readCount('--queued', values.queued, 100_000, 1_000_000),
    scale: scaleOf(values.scale),
    calls: readCount('--calls', values.calls, values.quick ? 20 : 100, 10_000),
    due: values.due === '0' ? 0 : readCount('--due', values.due, 10_000, 100_000),
    singleStarts: values.quick ? 100 : 600,
    exactStarts: values.quick ? 200 : 1_000,
  };
}

function scaleOf(text) {
  const scale = Number(text);
  if (!(scale >= 0.001 && scale <= 1)) throw new Error('--scale: a number from 0.001 to 1');
  return scale;
}
