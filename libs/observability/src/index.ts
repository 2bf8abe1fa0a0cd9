export { createLogger, currentRequestID, faultPoint, withRequestID, type Logger } from '@batuta/logging';
export { limitHeapGrowth } from './heap';
export { LOGGER } from './logger.token';
export { nestLogger } from './nest-logger';
export { Metrics } from './metrics';
export { HealthController, READINESS, type ReadinessCheck } from './health.controller';
export { closeServer, limitServer } from './http-server';
export { isUnread } from './unread-body';
export { stopOnSignals } from './signals';
