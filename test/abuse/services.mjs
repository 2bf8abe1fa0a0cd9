import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONSOLE_ENV, IMAGE_ENV, SERVICES, startListening } from '../../bench/programs.mjs';
import { ROOT } from '../../scripts/lib/find-servers.cjs';
import { createMemoryGroup, memoryUsedBy, resourcesOf } from './manifest-resources.mjs';
import { createWeightedGroup } from './processor-groups.mjs';

const MEMORY_SAMPLE_INTERVAL_MS = 50;

/** The short form measures no time: a machine that stands still for some seconds beside other programs must not fail a call there. */
const LONG_TIME_LIMIT_ENV = {
  START_TIMEOUT_MS: '30000',
  READ_TIMEOUT_MS: '30000',
  DATABASE_STATEMENT_MS: '20000',
};

/**
 * One replica of each service from dist, as in the image, each within the memory limit and with the weight at the processors that its manifest
 * gives.
 */
export async function startLimitedServices(servers, { profile, short }) {
  const services = {};
  const start = async (name, imageEnv) => {
    const env = short ? { ...imageEnv, ...LONG_TIME_LIMIT_ENV } : imageEnv;
    services[name] = await LimitedService.start(servers, { name, env, profile });
  };
  try {
    await awaitAll(SERVICES.filter((name) => name !== 'console').map((name) => start(name, IMAGE_ENV)));
    await start('console', { ...CONSOLE_ENV, GATEWAY_PUBLIC_URL: services.gateway.url });
    return services;
  } catch (error) {
    await Promise.all(Object.values(services).map((service) => service.stop()));
    throw error;
  }
}

/** Awaits all, then throws the first error, so that no service starts after the others were stopped. */
async function awaitAll(promises) {
  for (const { status, reason } of await Promise.allSettled(promises)) if (status === 'rejected') throw reason;
}

/** Gives MariaDB and NATS the weight at the processors that their manifests give. Returns a function that removes it after their end. */
export function setServerWeights({ mariadb, nats }) {
  const groups = [
    [mariadb, createWeightedGroup('mariadb', resourcesOf('mariadb', 'overlays/local').processors)],
    [nats, createWeightedGroup('nats', resourcesOf('nats').processors)],
  ];
  for (const [{ pid }, group] of groups) group?.add(pid);
  return () => {
    for (const [, group] of groups) group?.remove();
  };
}

/** A service that is started again after its end, as an orchestrator does, and that counts these ends. */
class LimitedService {
  /** How often the service ended by itself: killed at its limit, or by an error. */
  ends = 0;
  /** The most memory that one process of the service took at any sample, in bytes. */
  peak = 0;
  /** Bytes of memory that the service uses after its start. */
  bytesAfterStart = 0;
  #program;
  #memoryGroup;
  #processorGroup;
  #stopped = false;
  #restarting;

  static async start(servers, options) {
    const service = new LimitedService(servers, options);
    await service.#launch();
    service.bytesAfterStart = memoryUsedBy(service.#program.pid) ?? 0;
    void service.#watch();
    return service;
  }

  constructor(servers, { name, env, profile }) {
    this.servers = servers;
    this.name = name;
    this.env = env;
    this.profile = profile;
    const { bytes, processors } = resourcesOf(name);
    this.limit = bytes;
    this.#memoryGroup = createMemoryGroup(name, bytes);
    this.#processorGroup = createWeightedGroup(name, processors);
    /**
     * The kernel kills a service that exceeds its limit; without memory groups this program kills it, a moment later.
     */
    this.enforced = this.#memoryGroup ? 'cgroup' : 'sampled';
  }

  log() {
    return this.#program.log();
  }

  async stop() {
    this.#stopped = true;
    await this.#restarting;
    await this.#program.stop();
    this.#memoryGroup?.remove();
    this.#processorGroup?.remove();
  }

  async #launch() {
    const { servers, name, env, profile } = this;
    const args = [join(ROOT, 'dist', 'apps', name, 'main.js')];
    if (profile) args.unshift('--cpu-prof', `--cpu-prof-dir=${join(profile, name)}`);
    const port = this.url && new URL(this.url).port;
    this.#program = await startListening(servers, {
      name,
      args,
      env,
      port,
      readyPath: '/health/ready',
      wrap: this.#memoryGroup?.wrap,
    });
    this.url = this.#program.url;
    this.pid = this.#program.pid;
    this.#processorGroup?.add(this.pid);
    void this.#program.exited.then((exit) => this.#restart(exit));
  }

  async #restart({ code, signal }) {
    if (this.#stopped) return;
    this.ends += 1;
    this.lastEnd = signal ?? `exit code ${code}`;
    // The attack may kill the service again while it starts.
    this.#restarting = this.#launch().catch(() => this.#restart({ signal: 'no start' }));
  }

  async #watch() {
    while (!this.#stopped) {
      const now = memoryUsedBy(this.#program.pid) ?? 0;
      this.peak = Math.max(this.peak, now);
      if (!this.#memoryGroup && now > this.limit) this.#program.signal('SIGKILL');
      await sleep(MEMORY_SAMPLE_INTERVAL_MS, undefined, { ref: false });
    }
  }
}
