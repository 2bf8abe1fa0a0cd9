import { cp } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from 'mysql2/promise';
import { SERVICES } from '../../bench/programs.mjs';
import { HttpClient } from '../abuse/http-client.mjs';
import { Callers } from '../chaos/callers.mjs';
import { EffectRecorder } from '../chaos/effects.mjs';
import { watchPhase } from '../chaos/phase.mjs';
import { secondsText } from '../chaos/invariants.mjs';
import { startAgent } from './agent.mjs';
import { buildRelease, findCommit, readPreviousRelease, THIS_RELEASE } from './releases.mjs';
import { awaitSchema, makeStack, migrate } from './stack.mjs';
import { checkUpgradeInvariants, runsOf } from './invariants.mjs';
import { makeUpgradeWorld } from './world.mjs';

/** How long every agent and replica may take to have had work, and pending firings to get their result. */
const WAIT_LIMIT_MS = 60_000;

/**
 * Upgrades a running installation of the old release to this build under load, service by service, rolls it back to the old release,
 * and checks the invariants. Returns the measured values.
 */
export async function runUpgrade({ options, say, signal }) {
  const old = await findOldRelease(options, say);
  const running = [];
  const stopAll = async () => {
    for (const part of running.splice(0).toReversed()) await part.stop();
  };
  const add = (part) => {
    running.push(part);
    signal.throwIfAborted();
    return part;
  };
  signal.addEventListener('abort', () => void stopAll());
  try {
    const began = performance.now();
    const upgrade = await Upgrade.begin({ options, say, signal, old, add });
    const acceptedByReplica = await upgrade.upgradeAndRollBack();
    say('The callers end; every instance is awaited …');
    await upgrade.endLoad();
    const checked = await upgrade.checkInvariants(acceptedByReplica);
    const release = old.commit ?? 'this build itself, because the clone lacks the previous release';
    return { options, release, phases: upgrade.phases, tookMs: performance.now() - began, ...checked };
  } finally {
    await stopAll();
  }
}

async function findOldRelease({ ref, orItself }, say) {
  const commit = await findCommit(ref);
  if (commit) return buildRelease(commit, { say });
  if (!orItself) throw new Error('This clone lacks that release: git fetch --unshallow, or name another REF');
  say(
    'WARNING: this clone lacks the previous release; this build stands in for it, so that no difference between releases is tested.',
  );
  return { ...THIS_RELEASE, name: 'old' };
}

/** Throws unless package.json names the last migration of the old release, after which a unit test of new migrations begins. */
async function requireMigration(database, { migration }) {
  const [[last]] = await database.query('SELECT name FROM schema_migration ORDER BY id DESC LIMIT 1');
  if (last.name !== migration) throw new Error(`package.json: previousRelease.migration: ${last.name} is its last one`);
}

class Upgrade {
  phases = [];
  #agents = new Map();

  static async begin({ options, say, signal, old, add }) {
    const upgrade = new Upgrade();
    Object.assign(upgrade, { options, say, signal, old });
    const effects = add(await EffectRecorder.start());
    const stack = await makeStack({ old, current: THIS_RELEASE, replicas: options.replicas, add });
    if (options.logs) add({ stop: () => cp(stack.folder, options.logs, { recursive: true }) });
    const database = createPool({ uri: stack.databaseUrl, connectionLimit: 2, timezone: 'Z' });
    add({ stop: () => database.end() });
    Object.assign(upgrade, { effects, stack, database });
    say('Starting the old release …');
    await migrate(stack, old);
    if (old.commit && options.ref === undefined) await requireMigration(database, await readPreviousRelease());
    await upgrade.#start('old', SERVICES);
    const http = new HttpClient({ from: '127.0.0.1', sockets: options.callers * 2 });
    add({ stop: () => http.close() });
    upgrade.world = await makeUpgradeWorld({ http, stack, effects });
    add({ stop: () => Promise.all([...upgrade.#agents.values()].map((agent) => agent.stop())) });
    await upgrade.#join('old-agent', old, stack.router);
    upgrade.callers = new Callers(http, stack, upgrade.world);
    upgrade.callers.begin(options);
    add({ stop: () => upgrade.callers.abandon() });
    return upgrade;
  }

  /** Upgrades and goes back. Returns how many starts each replica had accepted when both releases had run beside each other. */
  async upgradeAndRollBack() {
    const { stack, options } = this;
    await this.#step('the old release', async () => {});
    await this.#step('NATS reads the file of the new release', () => stack.nats.reloadFor(THIS_RELEASE));
    await this.#step('the new release migrates the schema', () => migrate(stack, THIS_RELEASE));
    for (const services of this.#serviceGroups()) {
      await this.#step(`new ${services.join(', ')} beside the old`, () => this.#start('new', services));
    }
    const acceptedByReplica = await this.#runBothReleases(options.seconds * 1_000);
    for (const services of this.#serviceGroups()) {
      await this.#step(`old ${services.join(', ')} stopped`, () => this.#drainAndStop('old', services));
    }
    await this.#step('back: the old release beside the new', () => this.#start('old', SERVICES));
    await this.#step('back: the new release stopped', () => this.#drainAndStop('new', SERVICES));
    return acceptedByReplica;
  }

  /** Runs both releases beside each other, with agents of each release, through the balancer and at a router of the other release. */
  async #runBothReleases(atLeastMs) {
    const { old, stack } = this;
    const routerOf = (name) => this.#replicas(name, ['router'])[0].url;
    const step = async () => {
      await this.#join('new-agent', THIS_RELEASE, stack.router);
      await this.#join('old-agent-at-new-router', old, routerOf('new'));
      await this.#join('new-agent-at-old-router', THIS_RELEASE, routerOf('old'));
    };
    await this.#step('both releases', step, atLeastMs);
    await this.#untilAllRan();
    const acceptedByReplica = await this.#acceptedByReplica();
    // Each of these agents knows only one router, which a later step stops.
    for (const name of ['old-agent-at-new-router', 'new-agent-at-old-router']) await this.#agents.get(name).stop();
    return acceptedByReplica;
  }

  /** Waits until every agent and replica has had work; those that have had none at the time limit are named in the report. */
  async #untilAllRan() {
    const deadline = Date.now() + WAIT_LIMIT_MS;
    while (Date.now() < deadline) {
      const runs = await runsOf(this.database, this.world);
      const acceptedByReplica = await this.#acceptedByReplica();
      if (
        [...this.#agents.keys()].every((name) => runs[name] > 0) &&
        acceptedByReplica.every(({ accepted }) => accepted > 0)
      )
        return;
      await sleep(200);
    }
  }

  #acceptedByReplica() {
    const counting = this.stack.services.filter(({ hasAcceptedMetric }) => hasAcceptedMetric);
    return Promise.all(counting.map(async (one) => ({ name: one.name, accepted: await one.countAccepted() })));
  }

  /** Awaits the calls and the firings in progress. */
  async endLoad() {
    await this.callers.stop();
    await this.world.switchOffSchedule();
    const deadline = Date.now() + WAIT_LIMIT_MS;
    const pending = "SELECT 1 FROM schedule_firing WHERE schedule_id = ? AND result = 'pending'";
    while ((await this.database.query(pending, [this.world.scheduleID]))[0].length > 0) {
      if (Date.now() > deadline) throw new Error('a firing stays pending');
      await sleep(200);
    }
  }

  checkInvariants(acceptedByReplica) {
    const { options, database, world, callers, effects, stack } = this;
    const agents = [...this.#agents.keys()];
    return checkUpgradeInvariants({ options, database, world, callers, effects, stack, agents, acceptedByReplica });
  }

  #serviceGroups() {
    return this.options.short ? [SERVICES] : SERVICES.map((service) => [service]);
  }

  #replicas(name, services) {
    return this.stack.services.filter(({ release, service }) => release.name === name && services.includes(service));
  }

  async #start(name, services) {
    const replicas = this.#replicas(name, services);
    await awaitSchema(this.stack, replicas[0].release);
    await Promise.all(replicas.map((replica) => replica.start()));
  }

  async #drainAndStop(name, services) {
    await Promise.all(this.#replicas(name, services).map((replica) => replica.drainAndStop()));
  }

  async #join(name, release, router) {
    const { folder } = this.stack;
    const { activationKey } = this.world;
    this.#agents.set(name, await startAgent({ folder, release, name, router, activationKey }));
  }

  /** Does the work under load, and resolves when calls succeed and a new start was accepted and run, or after 90 seconds. */
  async #step(name, work, atLeastMs = 0) {
    this.signal.throwIfAborted();
    const began = performance.now();
    const watched = watchPhase(this);
    await work();
    const tookMs = performance.now() - began;
    const after = watchPhase(this);
    await after.untilCalm(atLeastMs);
    this.phases.push({ name, tookMs, ...watched.measurements() });
    this.say(`${name}: ${secondsText(tookMs)}`);
  }
}
