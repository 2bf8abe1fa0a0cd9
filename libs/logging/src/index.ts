// This library must not import Nest: the agent uses it and must stay small.
export { createLogger, MAX_WAITING_LOG_BYTES, retryFullDisk, type Logger } from './logger';
export { LogThrottle } from './log-throttle';
export { newRequestID, REQUEST_ID_HEADER } from './request-id';
export { faultPoint } from './fault-point';
export { endOnSignals, stopOnSignals } from './signals';
export {
  currentActor,
  currentRequestID,
  currentTenant,
  currentTrace,
  setActor,
  setTenant,
  withRequestID,
  withTenant,
  withTrace,
  type Actor,
  type TraceContext,
} from './request-context';
