import { browserStepType } from './steps/browser';
import { databaseStepType } from './steps/database';
import { emailStepType } from './steps/email';
import { restStepType } from './steps/rest';
import { scriptStepType } from './steps/script';
import { variablesStepType } from './steps/variables';
import { waitStepType } from './steps/wait';
import { webhookResponseStepType } from './steps/webhook-response';
import { describeFacts, type StepTypeFacts } from './step-type-facts';

/**
 * Every step type with its facts. Publication, the descriptions in the schema and the table in docs/flow.md derive from this record, and
 * a test compares the agent's connectors with it.
 */
export const STEP_TYPES = {
  variables: variablesStepType.facts,
  script: scriptStepType.facts,
  rest: restStepType.facts,
  database: databaseStepType.facts,
  email: emailStepType.facts,
  browser: browserStepType.facts,
  wait: waitStepType.facts,
  webhookResponse: webhookResponseStepType.facts,
} as const satisfies Record<string, StepTypeFacts>;

/** The JSON Schema of each step type, by its name in the `$defs` of the flow's schema. */
export const STEP_SCHEMAS = {
  variablesStep: variablesStepType.schema,
  scriptStep: scriptStepType.schema,
  restStep: restStepType.schema,
  databaseStep: databaseStepType.schema,
  emailStep: emailStepType.schema,
  browserStep: browserStepType.schema,
  waitStep: waitStepType.schema,
  webhookResponseStep: webhookResponseStepType.schema,
} as const;

export type StepTypeName = keyof typeof STEP_TYPES;

export function factsOf(type: StepTypeName): StepTypeFacts {
  return STEP_TYPES[type];
}

export function stepTypeNames(): StepTypeName[] {
  const names: string[] = Object.keys(STEP_TYPES);
  return names.filter((name): name is StepTypeName => name in STEP_TYPES);
}

/** A sentence or two about a step type, for editors and documentation. */
export function describeStepType(type: StepTypeName): string {
  return describeFacts(factsOf(type));
}

/** The automatic variables that a step of the type sets, where `as` stands for the name in its field `as`. */
export function automaticVariablesOf(type: StepTypeName): string[] {
  const { result, parts, connector } = factsOf(type);
  const fields = typeof result === 'string' ? [] : result;
  return [
    ...(result === 'none' ? [] : ['as']),
    ...[...fields, ...parts].map((name) => `as.${name}`),
    ...connector.map((name) => `connector.${name}`),
  ];
}
