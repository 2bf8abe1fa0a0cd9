export { createLogger, currentRequestID, faultPoint, withRequestID, type Logger } from '@batuta/logging';
export { limitHeapGrowth } from './heap';
export { LOGGER } from './logger.token';
export { nestLogger } from './nest-logger';
export { Metrics } from './metrics';
export { Liveness } from './liveness';
export { HealthController, READINESS, type ReadinessCheck } from './health.controller';
export { closeServer, limitServer } from './http-server';
export { stopOnSignals } from './signals';
