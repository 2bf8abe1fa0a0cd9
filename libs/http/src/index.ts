export { MAX_BODY_BYTES, readRawBody } from './raw-body';
export { readInflatedBody } from './inflated-body';
export { parseJson, requireUtf8 } from './json';
export { refuseDeepNesting, refusedAs, validationPipe, violationError, type PipeOptions } from './validation';
export { EnvelopeFilter, type EnvelopeOptions } from './envelope.filter';
export { REQUEST_ID_HEADER, requestID } from './request-id';
export { combined, presence, rule, type Presence } from './field-rules';
export { NestedList, NestedObject } from './nested';
export { isPlainObject, reveal, toDto, type DtoClass } from './to-dto';
