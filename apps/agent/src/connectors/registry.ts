import { stepTypeNames, type StepType } from '@batuta/flow';
import type * as browser from './browser/browser-connector';
import type { Connector } from './connector';
import { databaseConnector } from './database/database-connector';
import type * as email from './email/email-connector';
import { restConnector } from './rest/rest-connector';
import { scriptConnector } from './script/script-connector';
import { variablesConnector } from './variables/variables-connector';
import { waitConnector } from './wait/wait-connector';
import { webhookResponseConnector } from './webhook-response/webhook-response-connector';

/** The connector of each step type that this version of the agent runs. */
const CONNECTORS: { readonly [Type in StepType]?: Connector<Type> } = {
  variables: variablesConnector,
  script: scriptConnector,
  rest: restConnector,
  database: databaseConnector,
  email: loadedAtFirstStep(() => {
    const { emailConnector }: typeof email = require('./email/email-connector');
    return emailConnector;
  }),
  browser: loadedAtFirstStep(() => {
    const { browserConnector }: typeof browser = require('./browser/browser-connector');
    return browserConnector;
  }),
  wait: waitConnector,
  webhookResponse: webhookResponseConnector,
};

/**
 * Wraps a connector whose packages are loaded at its first step, so that the process of an execution is ready sooner.
 */
function loadedAtFirstStep<Type extends StepType>(load: () => Connector<Type>): Connector<Type> {
  return {
    run: (step, execution) => load().run(step, execution),
    begin: (execution) => load().begin?.(execution),
  };
}

/** The step types that this version of the agent runs; any other step fails. */
export const SUPPORTED_STEPS: readonly StepType[] = stepTypeNames().filter((type) => CONNECTORS[type]);

export function connectorFor<Type extends StepType>(type: Type): Connector<Type> | undefined {
  return CONNECTORS[type];
}
