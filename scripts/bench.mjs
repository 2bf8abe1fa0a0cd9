// npm run bench: measures the product and its floor (the minimal programs that bound what is possible) under the same load on this machine.
// The exit code 1 means that the product did something wrong, 2 that a bar was missed with --strict.
import { readOptions, USAGE } from '../bench/options.mjs';
import { runMeasurement } from './lib/measurement.mjs';

async function measureBuilds(run) {
  const { compareBuilds } = await import('../bench/compare-builds.mjs');
  return { report: await compareBuilds(run) };
}

async function measureYoungGenerations(run) {
  const { compareYoungGenerations } = await import('../bench/young-generations.mjs');
  return { report: await compareYoungGenerations(run) };
}

async function measureLongWork(run) {
  const { runLongWork } = await import('../bench/long-work.mjs');
  return { report: await runLongWork(run) };
}

async function measureGrownDatabase(run) {
  const { runGrown } = await import('../bench/grown/run.mjs');
  const { grownToText } = await import('../bench/grown/report.mjs');
  const results = await runGrown(run);
  return { report: grownToText(results), results };
}

async function measurePeers(run) {
  const { runPeers } = await import('../bench/peers/run.mjs');
  const { peersToText } = await import('../bench/peers/report.mjs');
  const results = await runPeers(run);
  return { report: peersToText(results), results };
}

async function measureScaleOut(run) {
  const { runScaleOut } = await import('../bench/scale-out/run.mjs');
  const { scaleOutToText } = await import('../bench/scale-out/report.mjs');
  const results = await runScaleOut(run);
  const isWrong = results.cells.some(({ wrong }) => wrong > 0);
  return { report: scaleOutToText(results), results, exitCode: isWrong ? 1 : exitCodeOfBars(run, results) };
}

async function measureStartUp(run) {
  const { runStartUp, startUpToText } = await import('../bench/start-up.mjs');
  const results = await runStartUp(run);
  return { report: startUpToText(results), results, exitCode: exitCodeOfBars(run, results) };
}

async function measureConsoleWeb(run) {
  const { consoleWebToText, runConsoleWeb } = await import('../bench/console-web.mjs');
  const results = await runConsoleWeb(run);
  return { report: consoleWebToText(results), results, exitCode: exitCodeOfBars(run, results) };
}

async function measureAll(run) {
  const { runBench } = await import('../bench/run.mjs');
  const { toText } = await import('../bench/report.mjs');
  const results = await runBench(run);
  const { faults } = results;
  return { report: toText(results), results, faults, exitCode: faults.length > 0 ? 1 : exitCodeOfBars(run, results) };
}

function exitCodeOfBars({ options }, { bars }) {
  return options.strict && bars.some(({ reached }) => !reached) ? 2 : 0;
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

await runMeasurement({ readOptions, usage: USAGE, measure: (run) => measurementOf(run.options)(run) });
