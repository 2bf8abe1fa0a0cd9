import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createPool } from 'mysql2/promise';
import { ROOT } from '../../scripts/lib/find-servers.cjs';
import { untilDone } from '../answering.mjs';
import { BenchAgent } from '../bench-agent.mjs';
import { startService } from '../programs.mjs';
import { startOf } from '../requests.mjs';
import { makeCompany } from '../world.mjs';

const require = createRequire(import.meta.url);
const COMPANY_COUNT = 100;
/** The kind of starts that an agent also runs; those of the other kinds are only accepted. */
export const RUN_KIND = 'accepted and run';

/**
 * Starts an installation and adds its programs to `running`: `replicas` replicas each of gateway and execution, one router and an agent, with a
 * schema and a NATS user of its own (those with `number`) on shared servers. `targets` = the kinds of starts to measure.
 */
export async function startInstallation(servers, { number, replicas, running }) {
  const { settings, database } = await openSchema(servers, number);
  running.push({ stop: () => database.end() });
  const own = { ...servers, settings };
  const services = {};
  for (const [name, count] of Object.entries({ execution: replicas, router: 1, gateway: replicas })) {
    services[name] = [];
    for (let started = 0; started < count; started++) {
      services[name].push(await startService(own, name));
      running.push(services[name].at(-1));
    }
  }
  const [company, ...others] = await makeCompanies(database, 1 + COMPANY_COUNT);
  const agent = await BenchAgent.connect(services.router[0].url, company.online.activationKey);
  running.push({ stop: () => agent.close() });
  const pids = Object.fromEntries(Object.entries(services).map(([name, all]) => [name, all.map(({ pid }) => pid)]));
  return {
    replicas,
    database,
    urls: services.gateway.map(({ url }) => url),
    pids: { ...pids, mariadb: servers.mariadb.pid, nats: servers.nats.pid },
    targets: [
      { kind: '1 company', requests: [startOf(company, company.queued)] },
      { kind: `${COMPANY_COUNT} companies`, requests: others.map((other) => startOf(other, other.queued)) },
      {
        kind: RUN_KIND,
        requests: [startOf(company, company.online)],
        untilDone: () => untilDone(database, company.online),
      },
    ],
  };
}

/** Creates a schema with the tables of the product; returns the settings of services that use it and its NATS user, and connections to it. */
async function openSchema({ mariadb, nats, settings, database }, number) {
  const schema = `scale${number}`;
  const url = mariadb.databaseUrl(schema);
  await database.query(`CREATE DATABASE ${schema}`);
  await require(join(ROOT, 'dist', 'libs', 'database', 'src')).migrate(url);
  const natsUrl = new URL(nats.url);
  natsUrl.username += number;
  return {
    settings: { ...settings, DATABASE_URL: url, NATS_URL: natsUrl.href },
    database: createPool({ uri: url, connectionLimit: 2, timezone: 'Z' }),
  };
}

async function makeCompanies(database, count) {
  const companies = [];
  for (let made = 0; made < count; made++) companies.push(await makeCompany(database));
  return companies;
}
