// npm run bench: measures the product and its floor (the minimal programs that bound what is possible) under the same load on this machine.
import { writeFile } from 'node:fs/promises';
import { readOptions, USAGE } from '../bench/options.mjs';
import { toText } from '../bench/report.mjs';
import { ensureBuilt } from './lib/build.cjs';
import { ensureServers } from './lib/install-servers.cjs';
import { prepareRuntime } from './lib/prepare-runtime.cjs';

const say = (text) => console.log(text);

let options;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  console.error(`${error.message}\n\n${USAGE}`);
  process.exit(1);
}
if (options.help) {
  say(USAGE);
  process.exit(0);
}

// The functions below return the exit code: 1 = the product did something wrong, 2 = a bar was missed with --strict. They import the modules of
// the bench themselves, because these load packages and dist, which are complete only after `ensureBuilt`.

async function measureBuilds() {
  const { compareBuilds } = await import('../bench/compare-builds.mjs');
  say(`\n${await compareBuilds({ options, say, signal: stopping.signal })}`);
  return 0;
}

async function measureYoungGenerations() {
  const { compareYoungGenerations } = await import('../bench/young-generations.mjs');
  say(`\n${await compareYoungGenerations({ options, say, signal: stopping.signal })}`);
  return 0;
}

async function measureLongWork() {
  const { runLongWork } = await import('../bench/long-work.mjs');
  say(`\n${await runLongWork({ options, say, signal: stopping.signal })}`);
  return 0;
}

async function measureGrownDatabase() {
  const { runGrown } = await import('../bench/grown/run.mjs');
  const { grownToText } = await import('../bench/grown/report.mjs');
  const results = await runGrown({ options, say, signal: stopping.signal });
  say(`\n${grownToText(results)}`);
  if (options.json) await writeFile(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
  return 0;
}

async function measurePeers() {
  const { runPeers } = await import('../bench/peers/run.mjs');
  const { peersToText } = await import('../bench/peers/report.mjs');
  const results = await runPeers({ options, say, signal: stopping.signal });
  say(`\n${peersToText(results)}`);
  if (options.json) await writeFile(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
  return 0;
}

async function measureScaleOut() {
  const { runScaleOut } = await import('../bench/scale-out/run.mjs');
  const { scaleOutToText } = await import('../bench/scale-out/report.mjs');
  const results = await runScaleOut({ options, say, signal: stopping.signal });
  say(`\n${scaleOutToText(results)}`);
  if (options.json) await writeFile(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
  if (results.cells.some(({ wrong }) => wrong > 0)) return 1;
  return options.strict && results.bars.some(({ reached }) => !reached) ? 2 : 0;
}

async function measureStartUp() {
  const { runStartUp, startUpToText } = await import('../bench/start-up.mjs');
  const results = await runStartUp({ options, say, signal: stopping.signal });
  say(`\n${startUpToText(results)}`);
  if (options.json) await writeFile(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
  return options.strict && results.bars.some(({ reached }) => !reached) ? 2 : 0;
}

async function measureConsoleWeb() {
  const { consoleWebToText, runConsoleWeb } = await import('../bench/console-web.mjs');
  const results = await runConsoleWeb({ options, say, signal: stopping.signal });
  say(`\n${consoleWebToText(results)}`);
  if (options.json) await writeFile(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
  return options.strict && results.bars.some(({ reached }) => !reached) ? 2 : 0;
}

async function measureAll() {
  const { runBench } = await import('../bench/run.mjs');
  const results = await runBench({ options, say, signal: stopping.signal });
  say(`\n${toText(results)}`);
  if (options.json) await writeFile(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
  for (const fault of results.faults) console.error(`WRONG: ${fault}`);
  const missed = results.bars.some(({ reached }) => !reached);
  return results.faults.length > 0 ? 1 : options.strict && missed ? 2 : 0;
}

function measurementOf({ consoleWeb, longWork, grown, startUp, scaleOut, beside, young, peers }) {
  if (consoleWeb) return measureConsoleWeb;
  if (longWork) return measureLongWork;
  if (grown) return measureGrownDatabase;
  if (startUp) return measureStartUp;
  if (scaleOut) return measureScaleOut;
  if (beside) return measureBuilds;
  if (young) return measureYoungGenerations;
  return peers ? measurePeers : measureAll;
}

await prepareRuntime({ say }).catch((error) => {
  console.error(error.message);
  process.exit(1);
});

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stopping.abort());
try {
  await ensureServers({ say });
  await ensureBuilt({ say });
  process.exitCode = await measurementOf(options)();
} catch (error) {
  console.error(stopping.signal.aborted ? 'stopped' : error);
  process.exitCode = 1;
}
