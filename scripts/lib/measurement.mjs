import { writeFile } from 'node:fs/promises';
import { ensureBuilt } from './build.cjs';
import { ensureServers } from './install-servers.cjs';
import { prepareRuntime } from './prepare-runtime.cjs';

const say = (text) => console.log(text);

/**
 * The frame of `npm run bench`, `abuse` and `upgrade`: reads the options, and once packages, servers and build are there, calls
 * `measure({ options, say, signal })`. That function imports the modules which load packages and dist. It returns the report and, if there are
 * any, the results for `--json`, the faults for standard error, and an exit code other than 0.
 */
export async function runMeasurement({ readOptions, usage, measure }) {
  let options;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    process.exit(1);
  }
  if (options.help) {
    say(usage);
    process.exit(0);
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
    const { report, results, faults = [], exitCode = 0 } = await measure({ options, say, signal: stopping.signal });
    say(`\n${report}`);
    if (options.json && results) await writeFile(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
    for (const fault of faults) console.error(`WRONG: ${fault}`);
    process.exitCode = exitCode;
  } catch (error) {
    console.error(stopping.signal.aborted ? 'stopped' : error);
    process.exitCode = 1;
  }
}
