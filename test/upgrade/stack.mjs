import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { IMAGE_ENV, SERVICES, startListening } from '../../bench/programs.mjs';
import servers from '../../scripts/lib/servers.cjs';
import { Balancer } from './balancer.mjs';
import { NatsServer } from './nats-server.mjs';

const PUBLIC_SERVICES = ['gateway', 'router', 'console'];
const OPERATOR_EMAIL = 'operator@upgrade.batuta.local';
/**
 * Like the `preStop` pause in the manifests: the replica still serves, but the balancer sends it no new calls. Requests over NATS still
 * come.
 */
const BEFORE_STOP_MS = 1_500;
/**
 * Time limits that a busy machine does not reach, so that a call or agent which is only slow is not refused, given up or lost. Both
 * releases know these settings.
 */
const LONG_TIME_LIMIT_SETTINGS = {
  START_TIMEOUT_MS: '60000',
  READ_TIMEOUT_MS: '60000',
  DATABASE_STATEMENT_MS: '60000',
  LEASE_SECONDS: '120',
};
/** The metric that counts the work of a replica; the other services have no such metric in both releases. */
const ACCEPTED_METRICS = {
  gateway: 'gateway_starts_total',
  execution: 'batuta_starts_accepted_total',
  webhook: 'batuta_hook_starts_total',
};

/**
 * A database, NATS with the shipped file of the old release, a balancer, and the replicas of both releases, none of which runs yet. All
 * services of the old release share one database user, and each service of the new release has its own, which the migration creates.
 */
export async function makeStack({ old, current, replicas, add }) {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-upgrade-'));
  add({ stop: () => rm(folder, { recursive: true, force: true }) });
  const mariadb = add(await servers.startMariadb({ database: 'batuta', roomy: true }));
  const nats = add(await NatsServer.start({ folder, release: old }));
  const places = [];
  for (const release of [old, current]) {
    for (const service of SERVICES) {
      for (let number = 1; number <= replicas; number += 1) {
        places.push({ release, service, name: `${release.name}-${service}-${number}`, port: await servers.freePort() });
      }
    }
  }
  const balancer = add(await Balancer.start(places.filter(({ service }) => PUBLIC_SERVICES.includes(service))));
  const stack = {
    folder,
    nats,
    balancer,
    databaseUrl: mariadb.databaseUrl('batuta'),
    passwords: Object.fromEntries(SERVICES.map((service) => [service, randomBytes(18).toString('hex')])),
    gateway: balancer.url('gateway'),
    router: balancer.url('router'),
    console: balancer.url('console'),
    operator: { email: OPERATOR_EMAIL, password: randomBytes(12).toString('base64url') },
  };
  stack.settings = {
    HOST: '127.0.0.1',
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    GATEWAY_PUBLIC_URL: stack.gateway,
    OPERATOR_EMAIL,
    OPERATOR_PASSWORD: stack.operator.password,
  };
  const services = places.map((place) => new Replica(stack, place));
  add({ stop: () => Promise.all(services.map((replica) => replica.stop())) });
  return { ...stack, services };
}

/** Runs the migration of a release, as its Job does; the new one creates the users of the services too. */
export async function migrate({ databaseUrl, passwords }, { name, folder }) {
  const users = SERVICES.map((service) => [`DATABASE_${service.toUpperCase()}_PASSWORD`, passwords[service]]);
  await runProgram(folder, 'migrate', { DATABASE_URL: databaseUrl, ...(name === 'new' && Object.fromEntries(users)) });
}

/** Waits until the schema has everything that the release needs, as its replicas do before they start. */
export function awaitSchema({ databaseUrl }, { folder }) {
  return runProgram(folder, 'await-schema', { DATABASE_URL: databaseUrl });
}

async function runProgram(folder, name, env) {
  const program = join(folder, 'dist', 'libs', 'database', `${name}.js`);
  await promisify(execFile)(process.execPath, [program], { env: { PATH: process.env.PATH, ...env }, timeout: 120_000 });
}

/** A replica of one release; it keeps its port and its log when it is started again. */
class Replica {
  #stack;
  #program;
  #accepted = 0;

  constructor(stack, place) {
    Object.assign(this, place);
    this.#stack = stack;
  }

  get isAlive() {
    return this.#program?.isAlive() === true;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async start() {
    const { balancer } = this.#stack;
    if (this.#isPublic) await balancer.admit(this);
    this.#program = await startListening(this.#stack, {
      name: this.name,
      args: [join(this.release.folder, 'dist', 'apps', this.service, 'main.js')],
      env: { ...IMAGE_ENV, ...LONG_TIME_LIMIT_SETTINGS, ...this.#ownSettings() },
      port: this.port,
      readyPath: '/health/ready',
    });
    if (this.#isPublic) await balancer.untilServed(this.service);
  }

  /**
   * Stops the replica as Kubernetes does: first the balancer sends it no new calls, if callers or agents reach the service over HTTP,
   * then it gets SIGTERM. Throws if it does not end by itself.
   */
  async drainAndStop() {
    if (this.#isPublic) await this.#stack.balancer.drain(this);
    await sleep(BEFORE_STOP_MS);
    this.#accepted = await this.countAccepted();
    await this.#program.stop();
    const { code, signal } = await this.#program.exited;
    if (code !== 0) throw new Error(`${this.name} ended with ${code ?? signal}: ${await this.log()}`);
  }

  /**
   * The number of starts that the replica has handled so far, or until `drainAndStop`: of gateway and webhook also the refused and replayed
   * ones, of execution those it accepted. 0 for a service without such a metric.
   */
  async countAccepted() {
    const metric = ACCEPTED_METRICS[this.service];
    if (!metric || !this.isAlive) return this.#accepted;
    const text = await (await fetch(`${this.url}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  get hasAcceptedMetric() {
    return this.service in ACCEPTED_METRICS;
  }

  /** The last 3,000 characters of its log. */
  async log() {
    return (await this.#program.log()).slice(-3_000);
  }

  async stop() {
    await this.#program?.stop();
  }

  get #isPublic() {
    return PUBLIC_SERVICES.includes(this.service);
  }

  #ownSettings() {
    const { databaseUrl, passwords, nats } = this.#stack;
    const NATS_URL = nats.url(this.service);
    if (this.release.name === 'old') return { DATABASE_URL: databaseUrl, NATS_URL };
    const own = new URL(databaseUrl);
    [own.username, own.password] = [`batuta_${this.service}`, passwords[this.service]];
    return { DATABASE_URL: own.href, NATS_URL, STOP_DELAY_MS: '1000' };
  }
}
