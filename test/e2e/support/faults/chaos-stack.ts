import type { Store } from '@batuta/database';
import { violationsOf, creditViolations, creditSumsOf, endStatesOf, type EndState } from './assert-invariants';
import { LoadBalancer } from '../stack/load-balancer';
import { openTestStore } from '../stack/database';
import { effectFlow, ORDER_MATRIX, startEffectCounter, type EffectCounter } from './effect-counter';
import {
  makeCompany,
  makeEnvironment,
  makeOwner,
  makeProcess,
  type Environment,
  type Process,
  type World,
} from '../tenants/factories';
import { Integrator } from './integrator';
import type { Program } from '../stack/program';
import { startServiceProcesses, type ServiceProcessesOptions, type ServiceProcessStack } from '../stack/stack';
import { until } from '../until';

const MONTHLY_CREDITS = 100_000;
const AGENT_LOST_MESSAGE = 'The agent that ran the execution was lost.';

/**
 * Short intervals of sweeps, claims and offers, whose expiry loses nothing. The session lease is long, because its expiry ends the
 * instances of the agent; a test that loses an agent gives the agent's router SHORT_LEASE_SETTINGS.
 */
const SERVICE_SETTINGS = {
  execution: { SWEEP_MS: '500', CLAIM_SECONDS: '3' },
  router: { LEASE_SECONDS: '60', HEARTBEAT_SECONDS: '5', OFFER_SECONDS: '3', POLL_MS: '500' },
  gateway: { START_TIMEOUT_MS: '5000', READ_TIMEOUT_MS: '5000', CLOSE_TIMEOUT_MS: '45000' },
};
/** Settings of the router of an agent that a test loses. */
export const SHORT_LEASE_SETTINGS = { LEASE_SECONDS: '10', HEARTBEAT_SECONDS: '2' };

/** How long the router's reply to a heartbeat takes at most. */
const HEARTBEAT_REPLY_TIME_LIMIT_SECONDS = 0.5;

/** A process whose flow has one effect, and the integrator that starts it. */
export interface OrderWorld {
  process: Process;
  integrator: Integrator;
}

/** The end states of the instances of a process, and the invariants that these violate. */
export interface InvariantCheck {
  endStates: EndState[];
  violations: string[];
}

/**
 * A stack of separate processes for tests of faults: load balancers before gateways and routers, one company, one environment,
 * and an effect counter that the flows call.
 */
export class ChaosStack {
  /** Log lines of an instance that no fault disturbed. */
  private undisturbedLog: readonly string[] = [];

  private constructor(
    readonly stack: ServiceProcessStack,
    readonly gateways: LoadBalancer,
    readonly routers: LoadBalancer,
    readonly effects: EffectCounter,
    public store: Store,
    public environment: Environment,
    private readonly capacity: number,
    private readonly heartbeatSeconds: number,
  ) {}

  static async start(
    options: Omit<ServiceProcessesOptions, 'envOf'> & {
      /** The capacity of the environments, 5 by default: how many instances each agent runs at a time, unless its own setting is lower. */
      capacity?: number;
      /** Settings of the routers that override the usual ones. */
      router?: Record<string, string>;
    } = {},
  ): Promise<ChaosStack> {
    const envOf = { ...SERVICE_SETTINGS, router: { ...SERVICE_SETTINGS.router, ...options.router } };
    const stack = await startServiceProcesses({ envOf, ...options });
    try {
      return await ChaosStack.create(stack, options.capacity ?? 5, Number(envOf.router.HEARTBEAT_SECONDS));
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  private static async create(
    stack: ServiceProcessStack,
    capacity: number,
    heartbeatSeconds: number,
  ): Promise<ChaosStack> {
    const [gateways, routers, effects, store] = await Promise.all([
      LoadBalancer.start(stack.services.gateway.map(({ url }) => url)),
      LoadBalancer.start(stack.services.router.map(({ url }) => url)),
      startEffectCounter(),
      openTestStore(stack.databaseUrl),
    ]);
    const world = { console: stack.console, gateway: gateways.url, operator: stack.operator };
    const environment = await makeEnvironmentOfNewCompany(world, capacity);
    return new ChaosStack(stack, gateways, routers, effects, store, environment, capacity, heartbeatSeconds);
  }

  /** From now on processes are made, and agents join, in the environment of a new company. */
  async moveToNewCompany(): Promise<void> {
    const { stack, gateways, capacity } = this;
    const world = { console: stack.console, gateway: gateways.url, operator: stack.operator };
    this.environment = await makeEnvironmentOfNewCompany(world, capacity);
  }

  /** From now on checks read another database, such as the replica that has replaced the primary. */
  async useDatabase(url: string): Promise<void> {
    await this.store.close();
    this.store = await openTestStore(url);
  }

  /** Makes a process whose flow has one effect; `seconds` = how long the flow waits before and after the effect. */
  async makeOrderProcess(seconds?: number): Promise<OrderWorld> {
    const { stack, gateways, environment, effects } = this;
    const process = await makeProcess(
      { console: stack.console, gateway: gateways.url, operator: stack.operator },
      { environment, matrix: ORDER_MATRIX, flow: effectFlow(effects, seconds) },
    );
    return { process, integrator: new Integrator(process) };
  }

  /** Starts an agent and awaits its session: through the load balancer of the routers, or directly at `router`. */
  async joinAgent(name: string, env: Record<string, string> = {}, router = this.routers.url): Promise<Program> {
    const { activationKey } = this.environment;
    const agent = await this.stack.startAgent({ activationKey, router, env: { ...env, BATUTA_AGENT_NAME: name } });
    await this.untilConnected(name);
    return agent;
  }

  /**
   * Makes the agent reconnect to this router, or to the first one if this router is down. It first waits until the agent has received a
   * reply to a heartbeat: without one, an agent that loses its connection would wait longer before each reconnection.
   */
  async moveAgent(name: string, router: string): Promise<void> {
    const before = await this.untilConnected(name, {
      forSeconds: this.heartbeatSeconds + HEARTBEAT_REPLY_TIME_LIMIT_SECONDS,
    });
    this.routers.targets = [router, this.stack.router];
    this.routers.dropConnections();
    await this.untilConnected(name, { previous: before });
  }

  /** Waits for an open session of the agent other than `previous` that has lasted `forSeconds`; returns its id. */
  async untilConnected(name: string, { previous = '', forSeconds = 0 } = {}): Promise<string> {
    const rows = await until(
      () =>
        this.store.rows<{ session_id: string }>(
          `SELECT session_id FROM agent_session WHERE agent_name = ? AND session_id <> ? AND closed_at IS NULL
              AND lease_until > UTC_TIMESTAMP(3) AND connected_at <= UTC_TIMESTAMP(3) - INTERVAL ? SECOND`,
          [name, previous, forSeconds],
        ),
      ({ length }) => length > 0,
    );
    return rows[0]?.session_id ?? '';
  }

  /** Runs one instance without faults and keeps its log, with which `check` compares those of all successful instances. */
  async recordUndisturbedLog(): Promise<void> {
    const { process, integrator } = await this.makeOrderProcess();
    await integrator.place(1);
    const [endState] = await endStatesOf(this.store, process, this.effects);
    if (endState?.status !== 'success')
      throw new Error(`An instance without faults does not succeed: ${JSON.stringify(endState)}`);
    this.undisturbedLog = endState.lines.map((line) => line.replaceAll(endState.effects.join(), '<order>'));
    const reached = ['Take', 'Book', 'Close'].every((step) =>
      this.undisturbedLog.some((line) => line.includes(` ${step}: `)),
    );
    if (!reached) throw new Error(`The undisturbed log lacks a step: ${this.undisturbedLog.join('\n')}`);
  }

  /**
   * Awaits the end of all instances, repeats every accepted start, and checks the invariants. Instances of an agent for which `isDead`
   * holds may be CRASHED, and instances that the integrator has stopped may be STOPPED.
   */
  async check(
    { process, integrator }: OrderWorld,
    isDead: (agent: string) => boolean = () => false,
  ): Promise<InvariantCheck> {
    const mayCrash = ({ agent, errorMessage }: EndState) =>
      agent !== null && isDead(agent) && errorMessage === AGENT_LOST_MESSAGE;
    const mayStop = ({ instanceID }: EndState) => integrator.stopped.has(instanceID);
    const endStates = await endStatesOf(this.store, process, this.effects);
    const violations = [
      ...violationsOf(endStates, integrator.accepted, { undisturbedLog: this.undisturbedLog, mayCrash, mayStop }),
      ...creditViolations(await creditSumsOf(this.store, process, MONTHLY_CREDITS)),
      ...(await integrator.repeatAll()),
    ];
    return { endStates, violations };
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await Promise.all([this.gateways.stop(), this.routers.stop(), this.effects.stop(), this.store.close()]);
  }
}

async function makeEnvironmentOfNewCompany(world: World, capacity: number): Promise<Environment> {
  const company = await makeCompany(world, {
    plan: { monthlyCredits: MONTHLY_CREDITS, requestsPerMinute: 1_000_000 },
  });
  return makeEnvironment(world, { owner: await makeOwner(world, { company }), capacity });
}
