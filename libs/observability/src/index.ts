export {
  createLogger,
  currentActor,
  currentRequestID,
  currentTenant,
  currentTrace,
  faultPoint,
  LogThrottle,
  newRequestID,
  REQUEST_ID_HEADER,
  setActor,
  setTenant,
  stopOnSignals,
  withRequestID,
  withTenant,
  withTrace,
  type Actor,
  type Logger,
} from '@batuta/logging';
export { limitCompilerMemory, limitHeapGrowth } from './heap';
export { LOGGER } from './logger-token';
export { nestLogger } from './nest-logger';
export { BATCH_ITEMS_BUCKETS, Metrics, WAIT_SECONDS_BUCKETS } from './metrics';
export { Liveness } from './liveness';
export { HealthController, READINESS_CHECKS, type ReadinessCheck } from './health.controller';
export { StopNotice } from './stop-notice';
export { closeServer, limitServer } from './http-server';
export { answerUnread, isUnreadBody } from './unread-body';
export { runMain } from './run-main';
