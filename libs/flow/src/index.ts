export * from './definition/definition';
export { FLOW_SCHEMA, stepSchemaOf } from './definition/schema';
export { FLOW_LIMITS } from './definition/schema-parts';
export { AUTOMATIC_PARTS, CATEGORIES, type Category, type StepTypeFacts } from './definition/step-facts';
export { automaticVariablesOf, describeStepType, factsOf, STEP_TYPES, stepTypeNames } from './definition/step-types';
export { RESPONSE_CODES } from './definition/steps/webhook-response';
export { abilitiesOf, needsOf, readNeeds } from './definition/needs';
export type { Problem } from './definition/problem';
export type { FlowContext } from './validation/known-names';
export { validateFlow } from './validation/validate-flow';
export { readShape } from './validation/read-shape';
export { isSystemVariable, type SystemVariable } from './variables/system-variables';
export { resolveReference, variableOf, type Variables } from './variables/variables';
export {
  loneValue,
  renderBody,
  renderHtml,
  renderParameter,
  renderText,
  renderTypedValue,
  type Escape,
} from './substitution/render';
export { sqlDialectOf, type SqlDialect } from './substitution/sql-dialect';
export { parseSql } from './substitution/sql-template';
export { quotedMessage } from './validation/sql-rules';
export { plainValue } from './variables/plain-value';
export { substituteCode } from './substitution/substitute-code';
export { vaultKeysOf } from './substitution/step-texts';
export { renderResponseBody, type RenderedBody } from './response/response-body';
