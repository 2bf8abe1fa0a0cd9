export { MAX_BODY_BYTES, readRawBody } from './raw-body';
export { readInflatedBody } from './inflated-body';
export { parseJson, requireUtf8 } from './json';
export { refusedAs, validationPipe, violationError } from './validation';
