import { platform } from 'node:os';
import { AGENT_PROTOCOL_VERSION, type HelloFrame } from '@batuta/agent-protocol';
import { createLogger, currentTrace, withRequestID, type Logger } from '@batuta/logging';
import { abilitiesOfMachine } from './abilities';
import type { AgentConfig } from './config';
import { RECONNECT_DEFAULTS, type ReconnectSettings } from './connection/reconnect-pause';
import { RouterLink } from './connection/router-link';
import { browserOf, NO_BROWSER, type BrowserProgram } from './find-browser';
import { EvidenceUploads } from './evidence/evidence-uploads';
import { inAgentRunner } from './execution-process/in-agent-runner';
import type { InternalErrorLog } from './execution-process/execution-log';
import { processRunner } from './execution-process/process-runner';
import type { Runner } from './execution-process/runner';
import type { RunInstance } from './instances/accepted-instance';
import { AcceptedInstances } from './instances/accepted-instances';
import { withOpenedValues } from './instances/sealed-values';
import { loadPrivateKey } from './key/private-key';
import { AGENT_VERSION } from './version';

/**
 * Time limit for executions to stop when the agent closes, with or without a connection to the router. It exceeds the 5 s for which a
 * database step awaits that its server has ended a statement.
 */
const STOP_TIME_LIMIT_MS = 6_000;
/** Time limit for sending the last reports and pictures when the agent closes. */
const FINAL_REPORTS_TIME_LIMIT_MS = 2_000;

export interface Agent {
  /**
   * Resolves at the first welcome; rejects with RefusedError if the router, or a proxy before it, refuses this agent before that, and then no
   * further attempt is made. Stays pending while no router can be reached.
   */
  ready: Promise<void>;
  /**
   * Takes no more offers and lets running instances end within `drainSeconds` (default 0). Then it stops those that still run, which are reported as
   * crashed, sends the last reports, and disconnects. Reports and pictures that are not acknowledged within two more seconds are lost; without a
   * session to the router they are lost at once.
   */
  close(options?: { drainSeconds?: number }): Promise<void>;
}

/** Parts of an agent that tests replace, and a logger that the caller has already made. */
export interface AgentOverrides {
  logger?: Logger;
  reconnect?: ReconnectSettings;
  /** Path of the program that runs an execution in its process, instead of the one of the build. */
  runProgram?: string;
}

/**
 * Starts an agent, which connects and reconnects until it is closed, or until it is refused before the first welcome. Resolves before
 * it is connected. Throws an Error when it cannot make its folder for temporary files.
 */
export function createAgent(config: AgentConfig, overrides: AgentOverrides = {}): Promise<Agent> {
  const logger = overrides.logger ?? createLogger('agent', config.logLevel);
  const browser = browserOf(config.browser);
  if (!browser && config.browser.program !== NO_BROWSER) {
    logger.warn('no browser was found: browser steps do not run here; see the setting BATUTA_AGENT_BROWSER');
  }
  const runner = createRunner(config, overrides, logger);
  const evidence = new EvidenceUploads((frame) => link.send(frame), logger);
  const { key, path, problem } = loadPrivateKey(config.stateFolder);
  const { fingerprint } = key.publicKey;
  if (problem !== undefined) logger.warn({ fingerprint, path, problem }, 'the key of the agent is not stored safely');
  else logger.info({ fingerprint, path }, 'the agent uses this key');
  const instances: AcceptedInstances = new AcceptedInstances(
    config.capacity,
    () => runner.problem(),
    withOpenedValues(withInstanceLog(runner, evidence, logger), key),
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
      makeHello: (sessionID) => ({
        ...helloOf(config, browser),
        publicKey: key.publicKey.toString(),
        ...(sessionID !== undefined && { resume: { sessionID, held: instances.heldInstances() } }),
      }),
      onWelcome: (welcome) => {
        instances.onWelcome(welcome);
        evidence.onWelcome(welcome);
      },
      onFrame: (frame) => {
        if (frame.type === 'evidenceAck') evidence.onAck(frame);
        else instances.receive(frame);
      },
      onWritable: () => {
        instances.sendReports();
        evidence.sendNext();
      },
      onDisconnect: () => {
        instances.onDisconnect();
        evidence.onDisconnect();
      },
      hasInstances: () => instances.heldInstances().length > 0,
      onGraceExpired: () => instances.suspendAll(),
    },
    logger,
  );
  link.connect();
  const close = async ({ drainSeconds = 0 } = {}): Promise<void> => {
    const drainLimit = AbortSignal.timeout(drainSeconds * 1000);
    await instances.drain(drainLimit);
    await evidence.untilIdle(drainLimit);
    await instances.crashAll(AbortSignal.timeout(STOP_TIME_LIMIT_MS));
    const reportLimit = link.isConnected ? AbortSignal.timeout(FINAL_REPORTS_TIME_LIMIT_MS) : AbortSignal.abort();
    await instances.untilIdle(reportLimit);
    await evidence.untilIdle(reportLimit);
    await link.close();
    evidence.close();
    instances.dropAll('the agent shut down');
    await runner.close();
  };
  return Promise.resolve({ ready: link.ready, close });
}

function helloOf({ name, capacity }: AgentConfig, browser: BrowserProgram | undefined): HelloFrame {
  return {
    type: 'hello',
    protocol: AGENT_PROTOCOL_VERSION,
    agent: name,
    runtimeVersion: AGENT_VERSION,
    os: platform(),
    capacity,
    abilities: abilitiesOfMachine(browser),
  };
}

function createRunner(config: AgentConfig, { runProgram }: AgentOverrides, logger: Logger): Runner {
  const logInternalError: InternalErrorLog = ({ instanceID, processID }, text) =>
    logger.error({ instanceID, processID }, text);
  return config.isolation === 'none'
    ? inAgentRunner(config, logInternalError)
    : processRunner(config, logger, logInternalError, { program: runProgram });
}

function withInstanceLog({ run }: Runner, evidence: EvidenceUploads, logger: Logger): RunInstance {
  return (offer, control, sink) =>
    withRequestID(
      offer.requestID,
      async () => {
        const { instanceID, processID } = offer;
        logger.info({ instanceID, processID }, 'an instance began');
        const end = await run(offer, control, { ...sink, keepPicture: evidence.keepFor(offer) });
        logger.info({ instanceID, processID, outcome: end.outcome }, 'an instance ended');
        return end;
      },
      { trace: currentTrace() },
    );
}
