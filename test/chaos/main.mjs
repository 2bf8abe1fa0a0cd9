// Runs the chaos test once: main.mjs <kind of network> [options]. scripts/chaos.mjs starts it in a network of that kind.
import { writeFile } from 'node:fs/promises';
import { openNetwork } from './network.mjs';
import { readOptions } from './options.mjs';
import { reportText } from './report.mjs';
import { runChaos } from './run.mjs';

const [kind, ...args] = process.argv.slice(2);
const options = readOptions(args);
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stopping.abort());
try {
  const network = await openNetwork(kind);
  const say = (text) => console.log(text);
  const results = await runChaos({ options, network, say, signal: stopping.signal });
  say(`\n${reportText(results)}`);
  if (options.json) await writeFile(options.json, `${JSON.stringify({ network: kind, ...results }, undefined, 2)}\n`);
  process.exitCode = results.broken.length > 0 ? 1 : 0;
} catch (error) {
  console.error(stopping.signal.aborted ? 'stopped' : error);
  process.exitCode = 1;
}
