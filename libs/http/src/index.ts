export { accessLog, routePattern, type LoggedAnswer } from './access-log';
export { largeAnswerDecorator } from './large-answer';
export { MAX_BODY_BYTES, readRawBody, type BodyLimit } from './raw-body';
export { privateAnswers } from './private-answers';
export { readInflatedBody } from './inflated-body';
export { parseJson, requireUtf8 } from './json';
export { refuseDeepNesting, refusedAs, validationPipe, violationError, type PipeOptions } from './validation';
export { EnvelopeFilter, type EnvelopeOptions } from './envelope.filter';
export { requestID } from './request-id';
export { traceRequest } from './trace-request';
export {
  combineDecorators,
  presenceRule as presence,
  fieldRule as rule,
  type PresenceOptions as Presence,
} from './field-rules';
export { NestedList, NestedObject } from './nested-dto';
export { isPlainObject, revealHidden, toDto, type DtoClass } from './to-dto';
export { LargeAnswers } from './large-answers';
export { sendPicture } from './picture-answer';
