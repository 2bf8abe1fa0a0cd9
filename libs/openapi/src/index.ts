export { COMMON_HEADERS, commonHeaders, headerReferences } from './headers';
export { ANY_JSON, ANY_RECORD, refsTo, TEXT_OR_NULL, TRUE_ONLY } from './property-schemas';
export { ApiRefusals, describeRefusals, listedRefusals, refusalResponses, withErrorExamples } from './refusals';
