import { startTestServers, type TestServers, type ServersOptions } from './servers';
import { Program } from './program';
import { SERVICES, ServiceProcess, type ServiceName } from './service-process';

/**
 * All services with their base URLs, and the servers below them. The URL is that of the first replica, and empty for a service without one.
 */
export interface Stack extends Omit<TestServers, 'stop'> {
  gateway: string;
  console: string;
  router: string;
  execution: string;
  schedule: string;
  webhook: string;
  /**
   * Starts a reference agent in its own OS process; it ends with the stack. Resolves before the agent is connected. `router` = the base URL
   * of the router; by default that of the first replica.
   */
  startAgent(agent: { activationKey: string; router?: string; env?: Record<string, string> }): Promise<Program>;
  stop(): Promise<void>;
}

export interface ServiceProcessStack extends Stack {
  /** The replicas in the order of their start, also those that a test has killed. */
  services: Record<ServiceName, ServiceProcess[]>;
  /** Adds a replica and waits until it is ready; `env` overrides its settings, for example with `BATUTA_FAULT`. */
  addReplica(name: ServiceName, env?: Record<string, string>): Promise<ServiceProcess>;
}

export interface ServiceProcessesOptions extends ServersOptions {
  /**
   * Replicas of each service, each in an OS process of its own; 1 by default, 0 = none. `together` = one replica of each service, all
   * in one OS process: for tests that kill none of these but only replicas that they add.
   */
  replicas?: Partial<Record<ServiceName, number>> | 'together';
  /** By service, settings that override those of its replicas. An OS process with all services gets the settings of all of them. */
  envOf?: Partial<Record<ServiceName, Record<string, string>>>;
}

/** Starts the services from dist, as `options.replicas` says, with their servers. */
export async function startServiceProcesses(options: ServiceProcessesOptions = {}): Promise<ServiceProcessStack> {
  const servers = await startTestServers(options);
  const agents: Program[] = [];
  const services: ServiceProcessStack['services'] = {
    execution: [],
    router: [],
    schedule: [],
    webhook: [],
    console: [],
    gateway: [],
  };
  const urlOf = (name: ServiceName) => services[name][0]?.url ?? '';
  const addReplica = async (name: ServiceName, env: Record<string, string> = {}) => {
    const own = name === 'console' ? { GATEWAY_PUBLIC_URL: urlOf('gateway') } : {};
    const user = { DATABASE_URL: servers.env[`${name.toUpperCase()}_DATABASE_URL`] };
    const service = await ServiceProcess.start(name, {
      ...servers.env,
      ...user,
      ...own,
      ...options.envOf?.[name],
      ...env,
    });
    services[name].push(service);
    return service;
  };
  const startTogether = async () => {
    const env = Object.assign({ ...servers.env }, ...Object.values(options.envOf ?? {}));
    for (const service of await ServiceProcess.startTogether(env)) services[service.name].push(service);
  };
  const startAlone = async (names: ServiceName[], replicas: Partial<Record<ServiceName, number>>) => {
    const wanted = names.flatMap((name) => Array.from({ length: replicas[name] ?? 1 }, () => name));
    const starts = await Promise.allSettled(wanted.map((name) => addReplica(name)));
    // All starts are awaited, even after one has failed, so that stop() knows every replica that started.
    for (const start of starts) if (start.status === 'rejected') throw start.reason;
  };
  const stop = async () => {
    await stopAll(agents);
    for (const name of SERVICES.toReversed()) await stopAll(services[name]);
    await servers.stop();
  };
  try {
    const { replicas = {} } = options;
    if (replicas === 'together') {
      await startTogether();
    } else {
      // The console needs the gateway's URL.
      await startAlone(
        SERVICES.filter((name) => name !== 'console'),
        replicas,
      );
      await startAlone(['console'], replicas);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...servers,
    gateway: urlOf('gateway'),
    console: urlOf('console'),
    router: urlOf('router'),
    execution: urlOf('execution'),
    schedule: urlOf('schedule'),
    webhook: urlOf('webhook'),
    services,
    addReplica,
    startAgent: makeAgentStarter(agents, urlOf('router')),
    stop,
  };
}

/** Time limits for the code of flows, long enough for a busy machine. */
export const LONG_TIME_LIMIT_AGENT_SETTINGS = {
  BATUTA_SANDBOX_FORMULA_SECONDS: '60',
  BATUTA_SANDBOX_SCRIPT_SECONDS: '60',
};

/** Returns a function that starts an agent and adds it to `agents`; by default the agent connects to `firstRouter`, a base URL. */
export function makeAgentStarter(agents: Program[], firstRouter: string): Stack['startAgent'] {
  return async ({ activationKey, router = firstRouter, env = {} }) => {
    const agent = await Program.start('agent', {
      BATUTA_ROUTER_URL: router,
      BATUTA_AGENT_KEY: activationKey,
      BATUTA_AGENT_DRAIN_SECONDS: '5',
      BATUTA_AGENT_STATE_FOLDER: 'none',
      ...LONG_TIME_LIMIT_AGENT_SETTINGS,
      // Executions share the OS process of the agent, because one for each execution takes 0.2 s of processor time. Tests that
      // kill agents set `process`.
      BATUTA_AGENT_ISOLATION: 'none',
      ...env,
    });
    agents.push(agent);
    return agent;
  };
}

export async function stopAll(programs: { stop(): Promise<void> }[]): Promise<void> {
  await Promise.all(programs.map((program) => program.stop()));
}
