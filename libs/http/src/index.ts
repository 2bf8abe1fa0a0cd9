export { MAX_BODY_BYTES, readRawBody } from './raw-body';
export { readInflatedBody } from './inflated-body';
export { parseJson, requireUtf8 } from './json';
export { refusedAs, validationPipe, violationError } from './validation';
export { EnvelopeFilter, type EnvelopeOptions } from './envelope.filter';
export { REQUEST_ID_HEADER, requestID } from './request-id';
