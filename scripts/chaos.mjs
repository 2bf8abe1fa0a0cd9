// npm run chaos: kills each process under load, drops network packets, pauses the database, and counts lost and doubled starts.
import { fileURLToPath } from 'node:url';
import { commandInOwnNetwork } from '../test/chaos/network.mjs';
import { readOptions, USAGE } from '../test/chaos/options.mjs';
import { ensureBuilt } from './lib/build.cjs';
import { ensureGalera } from './lib/galera-programs.cjs';
import { ensureHaproxy } from './lib/haproxy.cjs';
import { ensureServers } from './lib/install-servers.cjs';
import { prepareRuntime } from './lib/prepare-runtime.cjs';
import { startChild } from './lib/servers.cjs';

/** Grace period of a run that is told to stop: it ends its programs first, and a node of the database takes long to end. */
const STOP_GRACE_MS = 60_000;
const RUN = fileURLToPath(new URL('../test/chaos/main.mjs', import.meta.url));
const say = (text) => console.log(text);

try {
  const { help } = readOptions(process.argv.slice(2));
  if (help) {
    say(USAGE);
    process.exit(0);
  }
} catch (error) {
  console.error(`${error.message}\n\n${USAGE}`);
  process.exit(1);
}

await prepareRuntime({ say }).catch((error) => {
  console.error(error.message);
  process.exit(1);
});

// Everything is downloaded here, because the network of the run has no way to the internet.
await ensureServers({ say });
await ensureGalera();
await ensureHaproxy();
await ensureBuilt({ say });
const { kind, ...command } = await commandInOwnNetwork(RUN, process.argv.slice(2));
if (kind === 'loopback') {
  say(
    'Network namespaces need root and the program ip (iproute2): without them, proxies drop the packets of connections.',
  );
}
const run = await startChild({ ...command, inherit: true, graceMs: STOP_GRACE_MS });
// The run has its own process group, so a Ctrl-C in the terminal reaches it only through this process.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => run.signal(name));
const awake = setInterval(() => {}, 60_000);
const { code } = await run.exited;
clearInterval(awake);
process.exitCode = code ?? 1;
