import { readFileSync } from 'node:fs';
import { startTestServers } from '../e2e/support/stack/servers';
import { Program } from '../e2e/support/stack/program';
import { makeAgentStarter, type Stack } from '../e2e/support/stack/stack';
import * as s from '../support/shape';
import { waitUntil } from '../support/wait-until';

const READY_TIME_LIMIT_MS = 120_000;
const READY_POLL_INTERVAL_MS = 100;
/** Matches a log line of level `error` (50) or `fatal` (60). */
const FAULT_LOG_LINE = /"level":[56]0,/;
const LISTENING_MESSAGE = 'all services listen';

const listeningShape = s.object({
  urls: s.object({
    gateway: s.url,
    console: s.url,
    router: s.url,
    execution: s.url,
    schedule: s.url,
    webhook: s.url,
  }),
});

/** All services in one OS process of its own, whose log and memory the tests read. */
export interface FuzzStack extends Stack {
  /** Everything that the services have logged so far. */
  log(): Promise<string>;
  /** Log lines about faults of a service itself; a fault of a caller is logged at a lower level. */
  faults(): Promise<string[]>;
  /** Resident megabytes of the services; NaN where there is no /proc. */
  megabytes(): number;
}

/** `env` = settings of the services that override the usual ones. */
export async function startFuzzStack(env: Record<string, string>): Promise<FuzzStack> {
  const servers = await startTestServers({ env: { LOG_LEVEL: 'info', ...env } });
  const agents: Program[] = [];
  const services = await Program.start('all-in-one', servers.env);
  const stop = async () => {
    await Promise.all(agents.map((agent) => agent.stop()));
    await services.stop();
    await servers.stop();
  };
  try {
    const urls = await urlsOf(services);
    return {
      ...servers,
      ...urls,
      startAgent: makeAgentStarter(agents, urls.router),
      log: () => services.log(),
      faults: async () => (await services.log()).split('\n').filter((line) => FAULT_LOG_LINE.test(line)),
      megabytes: () => residentMegabytes(services.pid),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Awaits the log line with the addresses, which the services write once all of them listen; throws when they end before. */
async function urlsOf(services: Program) {
  const line = await waitUntil(
    'the services listen or have ended',
    async () => {
      const lines = (await services.log()).split('\n');
      return lines.find((one) => one.includes(LISTENING_MESSAGE)) ?? (services.isAlive ? undefined : lines.join('\n'));
    },
    { timeoutMs: READY_TIME_LIMIT_MS, everyMs: READY_POLL_INTERVAL_MS },
  );
  return listeningShape.parse(JSON.parse(line)).urls;
}

function residentMegabytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
