// node scripts/record-faults.mjs [--only A,B]: records the metrics of real faults for the tests of the alerts, in half an hour.
import { parseArgs } from 'node:util';
import { FAULTS } from '../test/recorded-faults/faults.mjs';
import { ensureBuilt } from './lib/build.cjs';
import { ensureServers } from './lib/install-servers.cjs';
import { prepareRuntime } from './lib/prepare-runtime.cjs';

const say = (text) => console.log(text);
const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
await prepareRuntime({ say });
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stopping.abort());
await ensureServers({ say });
await ensureBuilt({ say });
// These modules load packages and dist, which are complete only now, so they are imported here.
const { recordFaults } = await import('../test/recorded-faults/run.mjs');
const faults = FAULTS.filter(({ name }) => only === undefined || only.split(',').includes(name));
await recordFaults({ faults, say, signal: stopping.signal });
