export { MASK_TEXT, Mask } from './mask';
export { MASK_JSON, redactJson } from './redact-json';
export { wellFormed } from './well-formed';
