export { HIDDEN_TEXT, Mask } from './mask';
export { HIDDEN_JSON, redactJson } from './redact-json';
export { wellFormed } from './well-formed';
