export { answerSchema, inputSchema, propertiesOf, type Schema } from './schema';
export { refusals, type Refusal } from './refusals';
export { shareComponents } from './share';
