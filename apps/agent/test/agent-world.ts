import type { HelloFrame } from '@batuta/agent-protocol';
import type { Step } from '@batuta/flow';
import { createLogger } from '@batuta/logging';
import { createAgent, type Agent } from '../src/app';
import { readAgentConfig } from '../src/config';
import type { Backoff } from '@batuta/async';
import { FakeRouter, type FakeSession } from './fake-router';

/** Ends at once. */
export const shortFlow: Step[] = [{ name: 'one', type: 'variables' }];
/** Lasts for an hour, longer than any test. */
export const endlessFlow: Step[] = [{ name: 'wait', type: 'wait', seconds: 3600 }];
/** The instance of `offerOf`, as frames identify it. */
export const OFFERED_INSTANCE = { instanceID: 'i-1', fence: 1 };

/** A fake router and the agents that a test starts. */
export class AgentWorld {
  readonly agents: Agent[] = [];

  private constructor(readonly router: FakeRouter) {}

  static async create(router?: FakeRouter): Promise<AgentWorld> {
    return new AgentWorld(router ?? (await FakeRouter.create()));
  }

  /**
   * Starts an agent with a capacity of 2 that runs executions in this process, unless `settings` say otherwise. Does not wait for its
   * connection.
   */
  async startAgent(
    settings: NodeJS.ProcessEnv = {},
    backoff: Backoff = { first: 10, longest: 20 },
    refusedMs = 30,
  ): Promise<Agent> {
    const config = readAgentConfig({
      BATUTA_ROUTER_URL: this.router.url,
      BATUTA_AGENT_KEY: 'activation-key',
      BATUTA_AGENT_CAPACITY: '2',
      BATUTA_SANDBOX_WORKERS: '1',
      BATUTA_AGENT_ISOLATION: 'none',
      BATUTA_AGENT_STATE_FOLDER: 'none',
      ...settings,
    });
    const agent = await createAgent(config, {
      logger: createLogger('agent', 'silent'),
      reconnect: { backoff, refusedMs },
    });
    this.agents.push(agent);
    return agent;
  }

  /** Starts an agent, welcomes it and returns its session. */
  async startSession(welcome: Parameters<FakeSession['welcome']>[0] = {}): Promise<FakeSession> {
    await this.startAgent();
    const { session } = await this.nextHello();
    session.welcome(welcome);
    return session;
  }

  /** The next connection, after its hello and before its welcome. */
  async nextHello(): Promise<{ session: FakeSession; hello: HelloFrame }> {
    const session = await this.router.nextSession();
    return { session, hello: await session.next('hello') };
  }

  async close(): Promise<void> {
    await this.router.close();
    await Promise.all(this.agents.splice(0).map((agent) => agent.close()));
  }
}
