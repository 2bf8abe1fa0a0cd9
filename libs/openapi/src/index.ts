export { ANY_JSON, ANY_RECORD, refsTo, TEXT_OR_NULL, TRUE_ONLY } from './property';
export {
  ApiRefusals,
  describeRefusals,
  listedRefusals,
  refusalResponses as refusals,
  withErrorExamples,
  type RefusalResponse as Refusal,
} from './refusals';
