export { ERROR_CODES, isErrorCode, type ErrorCode } from './codes';
export { ApiError, type WireError } from './api-error';
