import type { AgentConfig } from '../config';
import { runFlow } from '../flow/run-flow';
import type { InternalErrorLog } from './execution-log';

import { Sandbox } from '../sandbox';
import { commonEffects, sandboxSettings } from './flow-effects';
import type { Runner } from './runner';

/** Runs all executions in the agent's own process (`isolation: none`); they share the threads of one sandbox. */
export function inAgentRunner(config: AgentConfig, logInternalError: InternalErrorLog): Runner {
  const sandbox = new Sandbox(sandboxSettings(config.sandbox));
  const effects = commonEffects(config, sandbox);
  return {
    run: (offer, control, { keepPicture, ...sink }) =>
      runFlow(offer, {
        ...effects,
        ...sink,
        control,
        evidence: { keep: (picture) => Promise.resolve(keepPicture(picture)) },
        logInternalError: (text) => logInternalError(offer, text),
      }),
    problem: () => undefined,
    close: () => sandbox.close(),
  };
}
