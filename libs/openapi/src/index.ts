export { answerSchema, inputSchema, propertiesOf, type Schema } from './schema';
export { ERROR_EXAMPLES, refusals, type Refusal } from './refusals';
export { shareComponents } from './share';
