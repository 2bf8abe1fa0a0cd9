import { stepTypeNames, type StepType } from '@batuta/flow';
import type { Connector } from './connector';
import { databaseConnector } from './database/database-connector';
import { emailConnector } from './email/email-connector';
import { restConnector } from './rest/rest-connector';
import { scriptConnector } from './script/script-connector';
import { variablesConnector } from './variables/variables-connector';
import { waitConnector } from './wait/wait-connector';
import { webhookResponseConnector } from './webhook-response/webhook-response-connector';

/** The connectors of this version of the agent. */
const CONNECTORS: { readonly [Type in StepType]?: Connector<Type> } = {
  variables: variablesConnector,
  script: scriptConnector,
  rest: restConnector,
  database: databaseConnector,
  email: emailConnector,
  wait: waitConnector,
  webhookResponse: webhookResponseConnector,
};

/** The step types that this version of the agent runs; any other step fails. */
export const SUPPORTED_STEPS: readonly StepType[] = stepTypeNames().filter((type) => CONNECTORS[type]);

export function connectorFor<Type extends StepType>(type: Type): Connector<Type> | undefined {
  return CONNECTORS[type];
}
