export { MAX_BODY_BYTES, readRawBody } from './raw-body';
export { parseJson, requireUtf8 } from './json';
