import { platform } from 'node:os';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { AGENT_PROTOCOL_VERSION, type HelloFrame } from '@batuta/contracts';
import { createLogger, withRequestID, type Logger } from '@batuta/logging';
import type { AgentConfig } from './config';
import { BACKOFF_DEFAULTS, type BackoffSettings } from './connection/backoff';
import { RouterLink } from './connection/router-link';
import type { Effects } from './flow/effects';
import { runFlow } from './flow/run-flow';
import { StoppedError } from './flow/step-error';
import { SUPPORTED_STEPS } from './flow/step-runner';
import type { RunInstance } from './instances/held-instance';
import { Instances } from './instances/instances';
import { Sandbox, SANDBOX_DEFAULTS } from './sandbox';
import { AGENT_VERSION } from './version';

/** For telling the router what was not finished. */
const LEAVE_MILLISECONDS = 2_000;

export interface Agent {
  /** Fulfilled at the first welcome; rejected with RefusedError if the router refuses this agent before that. */
  ready: Promise<void>;
  /** Takes no more work, finishes what it holds for at most `drainSeconds` (default 0), then leaves. */
  close(options?: { drainSeconds?: number }): Promise<void>;
}

/** What tests replace. */
export interface AgentParts {
  logger?: Logger;
  backoff?: BackoffSettings;
}

/** Starts an agent: it connects, and goes on connecting, until it is closed. */
export function createAgent(config: AgentConfig, parts: AgentParts = {}): Promise<Agent> {
  const logger = parts.logger ?? createLogger('agent', config.logLevel);
  const sandbox = new Sandbox({
    ...SANDBOX_DEFAULTS,
    workers: config.sandbox.workers,
    memoryBytes: config.sandbox.memoryMegabytes * 1024 * 1024,
    expressionMilliseconds: config.sandbox.expressionSeconds * 1000,
    scriptMilliseconds: config.sandbox.scriptSeconds * 1000,
  });
  const instances: Instances = new Instances(
    config.capacity,
    runner(config, sandbox, logger),
    (frame) => link.send(frame),
    logger,
  );
  const link: RouterLink = new RouterLink(
    { url: config.url, key: config.key, backoff: parts.backoff ?? BACKOFF_DEFAULTS, random: Math.random },
    {
      hello: (sessionID) => ({
        ...helloOf(config),
        ...(sessionID !== undefined && { resume: { sessionID, held: instances.list() } }),
      }),
      welcomed: (welcome) => instances.welcomed(welcome),
      received: (frame) => instances.receive(frame),
      writable: () => instances.sendReports(),
      disconnected: () => instances.disconnected(),
      holds: () => instances.list().length > 0,
      silent: () => instances.dropAll('the router was not heard of for its grace'),
    },
    logger,
  );
  link.connect();
  const close = async ({ drainSeconds = 0 } = {}): Promise<void> => {
    await instances.drain(AbortSignal.timeout(drainSeconds * 1000));
    await instances.leave(link.isConnected ? AbortSignal.timeout(LEAVE_MILLISECONDS) : AbortSignal.abort());
    await link.close();
    instances.dropAll('the agent left');
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
  return (offer, control, telling) =>
    withRequestID(offer.requestID, async () => {
      const { instanceID, processID } = offer;
      logger.info({ instanceID, processID }, 'instance begins');
      const effects: Effects = {
        ...telling,
        control,
        code: sandbox,
        fault: (text) => logger.error({ instanceID, processID }, text),
        fetch,
        now: Date.now,
        random: Math.random,
        sleep,
        stepLimit: config.stepLimit,
      };
      const end = await runFlow(offer, effects);
      logger.info({ instanceID, processID, outcome: end.outcome }, 'instance ends');
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
