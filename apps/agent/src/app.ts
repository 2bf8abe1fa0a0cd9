import { platform } from 'node:os';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { AGENT_PROTOCOL_VERSION, type HelloFrame } from '@batuta/agent-protocol';
import { createLogger, withRequestID, type Logger } from '@batuta/logging';
import type { AgentConfig } from './config';
import { RECONNECT_DEFAULTS, type ReconnectSettings } from './connection/reconnect-pause';
import { RouterLink } from './connection/router-link';
import { SUPPORTED_STEPS } from './connectors/registry';
import type { Effects } from './flow/effects';
import { runFlow } from './flow/run-flow';
import { StoppedError } from './flow/step-error';
import type { RunInstance } from './instances/accepted-instance';
import { AcceptedInstances } from './instances/accepted-instances';
import { Sandbox, SANDBOX_DEFAULTS } from './sandbox';
import { guardedFetch } from './network/guarded-fetch';
import { hostAccess } from './network/host-access';
import { HostRules } from './network/host-rules';
import { AGENT_VERSION } from './version';

/** Time limit of the final reports. */
const FINAL_REPORTS_MS = 2_000;

export interface Agent {
  /** Resolves at the first welcome; rejects with RefusedError if the router refuses this agent before that. */
  ready: Promise<void>;
  /** Takes no more offers, lets running instances end within `drainSeconds` (default 0), then disconnects. */
  close(options?: { drainSeconds?: number }): Promise<void>;
}

/** For tests, and for a logger that exists already. */
export interface AgentOverrides {
  logger?: Logger;
  reconnect?: ReconnectSettings;
}

/** Starts an agent, which connects and reconnects until it is closed. */
export function createAgent(config: AgentConfig, overrides: AgentOverrides = {}): Promise<Agent> {
  const logger = overrides.logger ?? createLogger('agent', config.logLevel);
  const sandbox = new Sandbox({
    ...SANDBOX_DEFAULTS,
    workers: config.sandbox.workers,
    memoryBytes: config.sandbox.memoryMegabytes * 1024 * 1024,
    expressionMilliseconds: config.sandbox.expressionSeconds * 1000,
    scriptMilliseconds: config.sandbox.scriptSeconds * 1000,
  });
  const instances: AcceptedInstances = new AcceptedInstances(
    config.capacity,
    runner(config, sandbox, logger),
    (frame) => link.send(frame),
    logger,
  );
  const link: RouterLink = new RouterLink(
    {
      url: config.url,
      key: config.key,
      proxies: config.proxies,
      reconnect: overrides.reconnect ?? RECONNECT_DEFAULTS,
      random: Math.random,
    },
    {
      hello: (sessionID) => ({
        ...helloOf(config),
        ...(sessionID !== undefined && { resume: { sessionID, held: instances.list() } }),
      }),
      welcomed: (welcome) => instances.welcomed(welcome),
      received: (frame) => instances.receive(frame),
      writable: () => instances.sendReports(),
      disconnected: () => instances.disconnected(),
      hasInstances: () => instances.list().length > 0,
      graceExpired: () => instances.dropAll('no frame of the router for the grace period'),
    },
    logger,
  );
  link.connect();
  const close = async ({ drainSeconds = 0 } = {}): Promise<void> => {
    await instances.drain(AbortSignal.timeout(drainSeconds * 1000));
    await instances.crashAll(link.isConnected ? AbortSignal.timeout(FINAL_REPORTS_MS) : AbortSignal.abort());
    await link.close();
    instances.dropAll('the agent shut down');
    await sandbox.close();
  };
  return Promise.resolve({ ready: link.ready, close });
}

function helloOf({ name, capacity }: AgentConfig): HelloFrame {
  return {
    type: 'hello',
    protocol: AGENT_PROTOCOL_VERSION,
    agent: name,
    runtimeVersion: AGENT_VERSION,
    os: platform(),
    capacity,
    abilities: [...SUPPORTED_STEPS],
  };
}

function runner(config: AgentConfig, sandbox: Sandbox, logger: Logger): RunInstance {
  const rules = HostRules.of(config.hosts);
  const fetcher = guardedFetch(rules, config.proxies);
  const hosts = hostAccess(rules);
  return (offer, control, sink) =>
    withRequestID(offer.requestID, async () => {
      const { instanceID, processID } = offer;
      logger.info({ instanceID, processID }, 'instance began');
      const effects: Effects = {
        ...sink,
        control,
        code: sandbox,
        logInternalError: (text) => logger.error({ instanceID, processID }, text),
        fetch: fetcher,
        hosts,
        now: Date.now,
        random: Math.random,
        sleep,
        stepLimit: config.stepLimit,
      };
      const end = await runFlow(offer, effects);
      logger.info({ instanceID, processID, outcome: end.outcome }, 'instance ended');
      return end;
    });
}

async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleepFor(milliseconds, undefined, { signal });
  } catch {
    throw new StoppedError();
  }
}
