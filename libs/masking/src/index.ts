export { MASK_TEXT, Mask } from './mask';
export { MASK_JSON, redactJson } from './redact-json';
export { isSecretName } from './secret-name';
export { wellFormed } from './well-formed';
