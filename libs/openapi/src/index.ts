export { ANY_JSON, RECORD, refsTo, TEXT_OR_NULL, TRUE_ONLY } from './property';
export { ApiRefusals, describeRefusals, listedRefusals, refusals, withErrorExamples, type Refusal } from './refusals';
