import { browser } from './steps/browser';
import { database } from './steps/database';
import { email } from './steps/email';
import { rest } from './steps/rest';
import { script } from './steps/script';
import { variables } from './steps/variables';
import { wait } from './steps/wait';
import { webhookResponse } from './steps/webhook-response';
import { describeFacts, type StepTypeFacts } from './step-facts';

/**
 * Every step type. Publication, the schema's descriptions and the table in docs/flow.md follow it, and a test of the agent
 * compares its connectors with it.
 */
export const STEP_TYPES = {
  variables: variables.facts,
  script: script.facts,
  rest: rest.facts,
  database: database.facts,
  email: email.facts,
  browser: browser.facts,
  wait: wait.facts,
  webhookResponse: webhookResponse.facts,
} as const satisfies Record<string, StepTypeFacts>;

/** The schema of each step type, as the `$defs` of the flow's schema name it. */
export const STEP_SCHEMAS = {
  variablesStep: variables.schema,
  scriptStep: script.schema,
  restStep: rest.schema,
  databaseStep: database.schema,
  emailStep: email.schema,
  browserStep: browser.schema,
  waitStep: wait.schema,
  webhookResponseStep: webhookResponse.schema,
} as const;

export type StepTypeName = keyof typeof STEP_TYPES;

export function factsOf(type: StepTypeName): StepTypeFacts {
  return STEP_TYPES[type];
}

export function stepTypeNames(): StepTypeName[] {
  const names: string[] = Object.keys(STEP_TYPES);
  return names.filter((name): name is StepTypeName => name in STEP_TYPES);
}

/** A sentence or two about a type, for editors and documentation. */
export function describeStepType(type: StepTypeName): string {
  return describeFacts(factsOf(type));
}

/** The automatic variables that a step of the type gives, where `as` stands for the name in its field `as`. */
export function automaticVariablesOf(type: StepTypeName): string[] {
  const { result, parts, connector } = factsOf(type);
  const fields = typeof result === 'string' ? [] : result;
  return [
    ...(result === 'none' ? [] : ['as']),
    ...[...fields, ...parts].map((name) => `as.${name}`),
    ...connector.map((name) => `connector.${name}`),
  ];
}
