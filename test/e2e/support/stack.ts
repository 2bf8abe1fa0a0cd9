import { createAllInOne } from '../../../apps/all-in-one/src/app';
import { readAllInOneConfig } from '../../../apps/all-in-one/src/config';
import { connected } from './database';
import { startGround, type Ground, type GroundOptions } from './servers';
import { Program } from './program';
import { SERVICES, ServiceProcess, type ServiceName } from './service-process';

/** Everything running: the base URLs of the services, and what they stand on. */
export interface Stack extends Omit<Ground, 'stop'> {
  gateway: string;
  console: string;
  router: string;
  execution: string;
  schedule: string;
  webhook: string;
  /** A reference agent as a process of its own; it ends with the stack. `router` picks one of several replicas. */
  startAgent(agent: { activationKey: string; router?: string; env?: Record<string, string> }): Promise<Program>;
  stop(): Promise<void>;
}

export interface ProcessStack extends Stack {
  services: Record<ServiceName, ServiceProcess[]>;
  /** One replica more, with settings of its own on top, such as `BATUTA_FAULT`. */
  addReplica(name: ServiceName, env?: Record<string, string>): Promise<ServiceProcess>;
}

/** All services in this process, as `apps/all-in-one` composes them. */
export async function startStack(options: GroundOptions = {}): Promise<Stack> {
  const ground = await startGround(options);
  const agents: Program[] = [];
  try {
    const services = await connected(() => createAllInOne(readAllInOneConfig(ground.env)));
    return {
      ...ground,
      ...services.urls,
      startAgent: agentStarter(agents, services.urls.router),
      async stop() {
        await stopAll(agents);
        await services.close();
        await ground.stop();
      },
    };
  } catch (error) {
    await ground.stop();
    throw error;
  }
}

/** Each replica as a process of its own from dist, one of each service unless `replicas` says otherwise. */
export async function startProcesses(
  options: GroundOptions & {
    replicas?: Partial<Record<ServiceName, number>>;
    /** Settings of the replicas of one service on top. */
    envOf?: Partial<Record<ServiceName, Record<string, string>>>;
  } = {},
): Promise<ProcessStack> {
  const ground = await startGround(options);
  const agents: Program[] = [];
  const services: ProcessStack['services'] = {
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
    const service = await ServiceProcess.start(name, { ...ground.env, ...own, ...options.envOf?.[name], ...env });
    services[name].push(service);
    return service;
  };
  const startAll = async (names: ServiceName[]) => {
    const wanted = names.flatMap((name) => Array.from({ length: options.replicas?.[name] ?? 1 }, () => name));
    const starts = await Promise.allSettled(wanted.map((name) => addReplica(name)));
    // Only once all of them are settled does stop() know every one that has to go.
    for (const start of starts) if (start.status === 'rejected') throw start.reason;
  };
  const stop = async () => {
    await stopAll(agents);
    for (const name of SERVICES.toReversed()) await stopAll(services[name]);
    await ground.stop();
  };
  try {
    // The console is told where the gateway is.
    await startAll(SERVICES.filter((name) => name !== 'console'));
    await startAll(['console']);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...ground,
    gateway: urlOf('gateway'),
    console: urlOf('console'),
    router: urlOf('router'),
    execution: urlOf('execution'),
    schedule: urlOf('schedule'),
    webhook: urlOf('webhook'),
    services,
    addReplica,
    startAgent: agentStarter(agents, urlOf('router')),
    stop,
  };
}

/** For the authors' code of flows: a machine that stands still is no endless loop. */
export const AGENT_PATIENCE = { BATUTA_SANDBOX_FORMULA_SECONDS: '60', BATUTA_SANDBOX_SCRIPT_SECONDS: '60' };

function agentStarter(agents: Program[], firstRouter: string): Stack['startAgent'] {
  return async ({ activationKey, router = firstRouter, env = {} }) => {
    const agent = await Program.start('agent', {
      BATUTA_ROUTER_URL: router,
      BATUTA_AGENT_KEY: activationKey,
      BATUTA_AGENT_DRAIN_SECONDS: '5',
      ...AGENT_PATIENCE,
      ...env,
    });
    agents.push(agent);
    return agent;
  };
}

async function stopAll(programs: { stop(): Promise<void> }[]): Promise<void> {
  await Promise.all(programs.map((program) => program.stop()));
}
