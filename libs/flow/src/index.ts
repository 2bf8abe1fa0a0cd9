export * from './definition/definition';
export { FLOW_LIMITS, FLOW_SCHEMA, RESPONSE_CODES } from './definition/schema';
export {
  AUTOMATIC_PARTS,
  describeStepType,
  factsOf,
  STEP_TYPES,
  stepTypeNames,
  type StepTypeFacts,
} from './definition/step-types';
export { abilitiesOf, needsOf, readNeeds } from './definition/needs';
export type { Problem } from './definition/problem';
export type { FlowContext } from './validation/known-names';
export { validateFlow } from './validation/validate-flow';
export { readShape } from './validation/read-shape';
export { isSystemVariable, type SystemVariable } from './variables/system-variables';
export { variableOf, type Variables } from './variables/variables';
export { renderBody, renderText, renderTypedValue } from './substitution/render';
export { substituteCode } from './substitution/substitute-code';
export { vaultKeysOf } from './substitution/step-texts';
export { renderResponseBody, type RenderedBody } from './response/response-body';
