export * from './definition/definition';
export { stepSchemaOf } from './definition/schema';
export { FLOW_LIMITS } from './definition/schema-parts';
export { STEP_CATEGORIES, type StepCategory } from './definition/step-type-facts';
export { automaticVariablesOf, describeStepType, factsOf, STEP_TYPES, stepTypeNames } from './definition/step-types';
export { RESPONSE_CODES } from './definition/steps/webhook-response';
export { abilitiesOf, EXTRA_FLOW_ABILITIES, needsOf, picturesReadBy, readNeeds } from './needs';
export type { FlowProblem } from './definition/problem';
export type { FlowContext } from './validation/known-names';
export { validateFlow } from './validation/validate-flow';
export { readShape } from './validation/read-shape';
export { isSystemVariable, type SystemVariable } from './variables/system-variables';
export { resolveReference, variableOf, type ReadableVariables } from './variables/resolve-reference';
export {
  loneValue,
  renderBody,
  renderHtml,
  renderParameter,
  renderText,
  renderTypedValue,
} from './substitution/render';
export { quotedPartAt, sqlDialectOf, type SqlDialect } from './substitution/sql-dialect';
export { parseSql } from './substitution/sql-template';
export { messageOfQuotedReference } from './validation/sql-rules';
export { plainValue } from './variables/plain-value';
export { substituteCode } from './substitution/substitute-code';
export { isJson } from './substitution/json-template';
export { mappingOf } from './substitution/mapped-fields';
export {
  actionTexts,
  mappingTexts,
  referencesIn,
  rowTexts,
  vaultKeysOf,
  type StepText,
} from './substitution/step-texts';
export { fieldVariable, isFieldVariable } from './substitution/template';
export { renderResponseBody, type RenderedBody } from './response/response-body';
