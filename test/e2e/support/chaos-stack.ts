import type { Store } from '@batuta/database';
import { complaintsAbout, complaintsAboutCredits, creditsOf, fatesOf, type Fate } from './assert-invariants';
import { Balancer } from './load-balancer';
import { openWitness } from './database';
import { effectFlow, ORDER, startEffects, type Effects } from './effect-counter';
import { makeCompany, makeEnvironment, makeOwner, makeProcess, type Environment, type Process } from './factories';
import type { GroundOptions } from './servers';
import { Integrator } from './integrator';
import type { Program } from './program';
import type { ServiceName } from './service-process';
import { startProcesses, type ProcessStack } from './stack';
import { until } from './until';

const CREDITS = 100_000;
const LOST = 'The agent that ran the execution was lost.';

/**
 * Claims, offers and sweeps are short: to run out costs nothing. A lease that runs out ends what its agent runs, so that of
 * the ground is long, and where agents are given up, their routers have HASTY ones.
 */
const SETTINGS = {
  execution: { SWEEP_MS: '300', CLAIM_SECONDS: '3' },
  router: { LEASE_SECONDS: '60', OFFER_SECONDS: '3', POLL_MS: '500' },
  gateway: { START_TIMEOUT_MS: '5000', READ_TIMEOUT_MS: '5000', CLOSE_TIMEOUT_MS: '45000' },
};
export const HASTY = { LEASE_SECONDS: '10', HEARTBEAT_SECONDS: '2' };

/** A process whose flow has one effect, and who orders it. */
export interface Orders {
  process: Process;
  integrator: Integrator;
}

/** What became of orders, and what is wrong with it: nothing may be, whatever died. */
export interface Verdict {
  fates: Fate[];
  complaints: string[];
}

/**
 * A stack of separate processes to do bad things to, behind load balancers for gateways and routers, with one company, one
 * environment, and an outside world that counts effects.
 */
export class ProvingGround {
  /** The log of an order that nothing disturbed. */
  private calm: readonly string[] = [];

  private constructor(
    readonly stack: ProcessStack,
    readonly gateways: Balancer,
    readonly routers: Balancer,
    readonly effects: Effects,
    readonly store: Store,
    readonly environment: Environment,
  ) {}

  static async start(
    options: GroundOptions & {
      replicas?: Partial<Record<ServiceName, number>>;
      capacity?: number;
      /** Of the routers on top. */
      router?: Record<string, string>;
    } = {},
  ): Promise<ProvingGround> {
    const envOf = { ...SETTINGS, router: { ...SETTINGS.router, ...options.router } };
    const stack = await startProcesses({ envOf, ...options });
    try {
      return await ProvingGround.on(stack, options.capacity ?? 5);
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  private static async on(stack: ProcessStack, capacity: number): Promise<ProvingGround> {
    const [gateways, routers, effects, store] = await Promise.all([
      Balancer.start(stack.services.gateway.map(({ url }) => url)),
      Balancer.start(stack.services.router.map(({ url }) => url)),
      startEffects(),
      openWitness(stack.databaseUrl),
    ]);
    const world = { console: stack.console, gateway: gateways.url, operator: stack.operator };
    const company = await makeCompany(world, { plan: { monthlyCredits: CREDITS, requestsPerMinute: 1_000_000 } });
    const owner = await makeOwner(world, { company });
    const environment = await makeEnvironment(world, { owner, capacity });
    return new ProvingGround(stack, gateways, routers, effects, store, environment);
  }

  /** `seconds` = how long the flow waits before and after its effect. */
  async newOrders(seconds?: number): Promise<Orders> {
    const { stack, gateways, environment, effects } = this;
    const process = await makeProcess(
      { console: stack.console, gateway: gateways.url, operator: stack.operator },
      { environment, matrix: ORDER, flow: effectFlow(effects, seconds) },
    );
    return { process, integrator: new Integrator(process) };
  }

  /** An agent, once it is connected: through the balancer of routers, or to the `router` itself. */
  async joinAgent(name: string, env: Record<string, string> = {}, router = this.routers.url): Promise<Program> {
    const { activationKey } = this.environment;
    const agent = await this.stack.startAgent({ activationKey, router, env: { ...env, BATUTA_AGENT_NAME: name } });
    await this.connected(name);
    return agent;
  }

  /** Moves the agent to this router, or to the first of those behind it that lives. */
  async moveAgent(name: string, router: string): Promise<void> {
    const before = await this.connected(name);
    this.routers.targets = [router, this.stack.router];
    this.routers.cut();
    await this.connected(name, before);
  }

  /** Awaits that the agent has a session, another one than `but`; returns its id. */
  async connected(name: string, but = ''): Promise<string> {
    const rows = await until(
      () =>
        this.store.rows<{ session_id: string }>(
          `SELECT session_id FROM agent_session WHERE agent_name = ? AND session_id <> ? AND closed_at IS NULL
              AND lease_until > UTC_TIMESTAMP(3)`,
          [name, but],
        ),
      ({ length }) => length > 0,
    );
    return rows[0]?.session_id ?? '';
  }

  /** Learns what a good run says, for later comparison. */
  async runCalmly(): Promise<void> {
    const { process, integrator } = await this.newOrders();
    await integrator.place(1);
    const [fate] = await fatesOf(this.store, process, this.effects);
    if (fate?.status !== 'success') throw new Error(`Not even a calm run succeeds: ${JSON.stringify(fate)}`);
    this.calm = fate.lines.map((line) => line.replaceAll(fate.effects.join(), '<order>'));
    const reached = ['Take', 'Book', 'Close'].every((step) => this.calm.some((line) => line.includes(` ${step}: `)));
    if (!reached) throw new Error(`The calm log lacks a step: ${this.calm.join('\n')}`);
  }

  /** Awaits the ends and judges. `dead` = agents that may have taken what they ran down with them. */
  async judge({ process, integrator }: Orders, dead: (agent: string) => boolean = () => false): Promise<Verdict> {
    const mayCrash = ({ agent, errorMessage }: Fate) => agent !== null && dead(agent) && errorMessage === LOST;
    const mayStop = ({ instanceID }: Fate) => integrator.stopped.has(instanceID);
    const fates = await fatesOf(this.store, process, this.effects);
    const complaints = [
      ...complaintsAbout(fates, integrator.accepted, { calm: this.calm, mayCrash, mayStop }),
      ...complaintsAboutCredits(await creditsOf(this.store, process, CREDITS)),
      ...(await integrator.repeatAll()),
    ];
    return { fates, complaints };
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await Promise.all([this.gateways.stop(), this.routers.stop(), this.effects.stop(), this.store.close()]);
  }
}
