// npm run abuse: measures the starts of one tenant alone, and beside a hostile tenant; they must stay as fast.
import { writeFile } from 'node:fs/promises';
import { readOptions, USAGE } from '../test/abuse/options.mjs';
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

await prepareRuntime({ say }).catch((error) => {
  console.error(error.message);
  process.exit(1);
});

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stopping.abort());
try {
  await ensureServers({ say });
  await ensureBuilt({ say });
  // These modules load packages and dist, which are complete only now, so they are imported here.
  const { runAbuseTest } = await import('../test/abuse/run.mjs');
  const { reportText } = await import('../test/abuse/report.mjs');
  const results = await runAbuseTest({ options, say, signal: stopping.signal });
  say(`\n${reportText(results)}`);
  if (options.json) await writeFile(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
  process.exitCode = results.faults.length > 0 ? 1 : 0;
} catch (error) {
  console.error(stopping.signal.aborted ? 'stopped' : error);
  process.exitCode = 1;
}
