import { cpus } from 'node:os';
import { createGenerator } from '../load/generators.mjs';
import { withRunningPrograms } from '../running-programs.mjs';
import { startServers } from '../servers.mjs';
import { median, sum } from '../statistics.mjs';
import { busyShare, CpuMeter } from '../usage.mjs';
import { RUN_KIND, startInstallation } from './installation.mjs';
import { ServerMeter } from './server-meter.mjs';

const CONNECTION_COUNT = 50;
/** Number of starts of each kind after which V8 has compiled the hot code of one replica. */
const WARM_UP_STARTS_PER_REPLICA = 1_500;
/** Server options: enough connections for the pools, of ten each, of all replicas of both installations. */
const MARIADB_OPTIONS = ['--max-connections=1000'];
/** The bar of docs/bench.md: two replicas of each must make at least this times the starts of one of each. */
const MIN_TWO_REPLICAS_RATIO = 1;

/**
 * Compares starts with several replicas of gateway and execution to starts with one replica of each, in turns, on one MariaDB and one NATS. Both
 * installations run, each with its own schema and NATS user, but only one at a time has load, so that the servers' counters are about that one.
 */
export async function runScaleOut({ options, say, signal }) {
  const busy = await busyShare();
  return withRunningPrograms(signal, async (running) => {
    say('Starting MariaDB and NATS …');
    const servers = await startServers(undefined, {
      natsMonitor: true,
      natsUsers: 2 * options.replicas.length,
      mariadbOptions: MARIADB_OPTIONS,
    });
    running.push(servers);
    const generator = createGenerator('autocannon', servers.folder);
    running.push(generator);
    const cells = [];
    for (const [index, replicas] of options.replicas.entries()) {
      say(`Starting one gateway and one execution, and ${replicas} of each …`);
      const compare = (parts) => comparePair({ servers, generator, options, say, running: parts, index, replicas });
      cells.push(...(await withRunningPrograms(signal, compare)));
    }
    const measuredAt = new Date().toISOString();
    return { measuredAt, node: process.version, cpus: cpus().length, busy, cells, bars: compareWithBars(cells) };
  });
}

/** The cells of one replica and of `replicas`, in turns. */
async function comparePair({ servers, generator, options, say, running, index, replicas }) {
  const one = await startInstallation(servers, { number: 2 * index + 1, replicas: 1, running });
  const several = await startInstallation(servers, { number: 2 * index + 2, replicas, running });
  const cells = [];
  say('  Warming up …');
  for (const installation of [one, several]) await warmUp(generator, installation);
  for (const place of one.targets.keys()) {
    for (const connections of [CONNECTION_COUNT, CONNECTION_COUNT * replicas]) {
      const measured = [one, several].map(
        (installation) => new StartsMeasurement({ servers, generator, installation, place }),
      );
      say(`  ${measured[0].kind}, ${connections} connections`);
      for (let round = 0; round < options.rounds; round++) {
        for (const installation of round % 2 === 0 ? measured : measured.toReversed())
          await installation.measure({ connections, seconds: options.seconds });
      }
      for (const installation of measured) cells.push({ pair: replicas, connections, ...(await installation.cell()) });
    }
  }
  return cells;
}

/** Warms up with few connections: before their code is compiled, many replicas compete for the processors, and starts could exceed their time limit. */
async function warmUp(generator, { urls, replicas, targets }) {
  for (const { requests, untilDone } of targets) {
    const amount = WARM_UP_STARTS_PER_REPLICA * replicas;
    const { wrong } = await generator.measure({ urls, requests, connections: CONNECTION_COUNT, amount });
    if (wrong > 0) throw new Error(`${wrong} starts were not answered with 2xx while ${replicas} replicas warmed up`);
    await untilDone?.();
  }
}

/** Measures one kind of starts of one installation in several rounds, and sums them up. `place` = index of the kind in `targets`. */
class StartsMeasurement {
  #generator;
  #installation;
  #target;
  #rounds = [];
  #cpu;
  #meter;

  constructor({ servers, generator, installation, place }) {
    this.#generator = generator;
    this.#installation = installation;
    this.#target = installation.targets[place];
    this.#cpu = new CpuMeter(installation.pids);
    this.#meter = new ServerMeter(servers);
  }

  get kind() {
    return this.#target.kind;
  }

  /** Measures one round. For starts that are run, the round lasts until the last of them has ended. */
  async measure(order) {
    const { urls } = this.#installation;
    const { requests, untilDone } = this.#target;
    const round = await this.#cpu.during(() =>
      this.#meter.during(async () => {
        const began = performance.now();
        const measured = await this.#generator.measure({ urls, requests, ...order });
        if (!untilDone) return measured;
        await untilDone();
        return { ...measured, seconds: (performance.now() - began) / 1_000 };
      }),
    );
    this.#rounds.push(round);
  }

  /** The cell of the report: latencies in milliseconds, processor time in microseconds per start. */
  async cell() {
    const { database, replicas } = this.#installation;
    const ok = sum(this.#rounds.map((round) => round.ok));
    const [[{ open }]] = await database.query(
      'SELECT COUNT(*) AS open FROM information_schema.PROCESSLIST WHERE DB = DATABASE()',
    );
    return {
      replicas,
      kind: this.kind,
      ok,
      wrong: sum(this.#rounds.map((round) => round.wrong)),
      perSecond: median(this.#rounds.map((round) => round.ok / round.seconds)),
      p50: median(this.#rounds.map((round) => round.p50)),
      p99: median(this.#rounds.map((round) => round.p99)),
      cpu: this.#cpu.perRequest(ok),
      perStart: this.#meter.perStart(ok),
      waits: this.#meter.waits,
      openConnections: Number(open),
    };
  }
}

/** The bars of docs/bench.md for two replicas, each with the measured value and whether this run reached it. */
function compareWithBars(cells) {
  const ofTwo = cells.filter(({ replicas }) => replicas === 2);
  return ofTwo.map(({ kind, connections, perSecond }) => {
    const one = cells.find(
      (cell) => cell.pair === 2 && cell.replicas === 1 && cell.kind === kind && cell.connections === connections,
    );
    const ratio = perSecond / one.perSecond;
    return {
      bar: `two of each ≥ ${MIN_TWO_REPLICAS_RATIO} × one of each, ${kind === RUN_KIND ? kind : `accepted, ${kind}`}, ${connections} connections`,
      measured: ratio.toFixed(2),
      reached: ratio >= MIN_TWO_REPLICAS_RATIO,
    };
  });
}
