export { answerSchema, inputSchema, propertiesOf, type Schema } from './schema';
export { ApiRefusals, describeRefusals, listedRefusals, refusals, type Refusal } from './refusals';
export { ANY_JSON, RECORD, refsTo, TEXT_OR_NULL, TRUE_ONLY } from './property';
export { shareComponents } from './share';
