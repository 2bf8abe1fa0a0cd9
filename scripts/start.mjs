// npm start: runs everything on this machine, with its data in .local/, until Ctrl-C.
import { join } from 'node:path';
import { ensureBuilt } from './lib/build.cjs';
import { demoCommands } from './lib/demo-commands.mjs';
import { startOrderServer } from './lib/demo-orders.mjs';
import { seedDemo, untilAgentIsOnline, untilKeyIsRefused } from './lib/demo.mjs';
import { tryLock } from './lib/file-lock.cjs';
import { LOCAL_FOLDER, localSettings, readLocal, writeLocal } from './lib/local-files.mjs';
import { LocalRun, startScript, startAllInOne } from './lib/local-run.mjs';
import { prepareRuntime } from './lib/prepare-runtime.cjs';
import { ensureServers, startMariadb, startNats } from './lib/servers.cjs';

const SERVICES = ['gateway', 'console', 'router', 'execution', 'schedule', 'webhook'];
const LOG_FILES = { mariadb: '.local/mariadb/mariadbd.log', nats: '.local/nats/nats.log' };
const KEY_REFUSED =
  'The agent of the demo is offline: somebody has rotated the key of its environment, or deleted it. The next `npm start` mends that.';
const say = (text) => console.log(text);

await prepareRuntime({ say }).catch((error) => {
  console.error(error.message);
  process.exit(1);
});

const lock = await tryLock(join(LOCAL_FOLDER, 'start.lock'));
if (lock.heldBy) {
  const addresses = await readLocal('demo.json');
  const where = addresses ? `: gateway ${addresses.gateway}, console ${addresses.console}` : '';
  console.error(`Batuta runs already from this folder, as process ${lock.heldBy.pid}${where}`);
  process.exit(1);
}

const run = new LocalRun();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stopAndExit(0));
try {
  await startEverything();
  const ended = await run.firstToEnd();
  if (!run.isStopping) {
    console.error(`${ended} ended by itself, see ${LOG_FILES[ended] ?? `.local/${ended}.log`}. Stopping everything.`);
    await stopAndExit(1);
  }
} catch (error) {
  if (!run.isStopping) console.error(error.message);
  await stopAndExit(1);
}

async function startEverything() {
  await ensureServers({ say });
  await ensureBuilt({ say });
  await LocalRun.endLeftOvers();
  const settings = await localSettings();
  const ports = (await readLocal('ports.json')) ?? {};

  say('Starting …');
  const env = { ...serviceSettings(settings), ...(await startServers(settings, ports)) };
  await run.runToEnd('migrations', 'libs/database/migrate.js', env);
  const orders = await run.add(
    'demo orders',
    await startOrderServer({ token: settings.orderToken, port: ports.orders }),
  );
  Object.assign(ports, { orders: orders.port }, await startAllInOne({ run, names: SERVICES, ports, env }));
  await writeLocal('ports.json', ports);

  const at = (name) => `http://127.0.0.1:${ports[name]}`;
  const addresses = { gateway: at('gateway'), console: at('console'), router: at('router') };
  const { demo, activationKey } = await seedDemo({ ...addresses, ...settings, ordersUrl: orders.url, say });
  const agentEnv = {
    BATUTA_ROUTER_URL: demo.router,
    BATUTA_AGENT_KEY: activationKey,
    BATUTA_AGENT_DRAIN_SECONDS: '5',
    BATUTA_AGENT_STATE_FOLDER: 'none',
    // The router and the demo's orders system are on this machine, so the agent must not use a proxy for them.
    NO_PROXY: 'localhost,127.0.0.1',
  };
  await run.add('agent', await startScript('agent', 'apps/agent/main.js', agentEnv));
  await untilAgentIsOnline(demo);
  say(demoCommands(demo, settings.orderToken));
  void untilKeyIsRefused(demo, activationKey).then(() => say(KEY_REFUSED));
}

/** Starts MariaDB and NATS, records their ports, returns their addresses as settings of the services. */
async function startServers({ databasePassword: password }, ports) {
  const [mariadb, nats] = await Promise.all([
    startMariadb({ dir: join(LOCAL_FOLDER, 'mariadb'), database: 'batuta', password, port: ports.mariadb }),
    startNats({ dir: join(LOCAL_FOLDER, 'nats'), port: ports.nats }),
  ]);
  await run.add('mariadb', mariadb);
  await run.add('nats', nats);
  Object.assign(ports, { mariadb: mariadb.port, nats: nats.port });
  return { DATABASE_URL: mariadb.databaseUrl('batuta'), NATS_URL: nats.url };
}

function serviceSettings({ secretKeys, operator, owner }) {
  return {
    HOST: '127.0.0.1',
    SECRET_KEYS: secretKeys,
    OPERATOR_EMAIL: operator.email,
    OPERATOR_PASSWORD: operator.password,
    DEMO_ACCOUNT_EMAIL: owner.email,
  };
}

async function stopAndExit(code) {
  if (!run.isStopping) say('Stopping …');
  await run.stop();
  await lock.release();
  process.exit(code);
}
