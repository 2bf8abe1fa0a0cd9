export { faultPoint } from './fault-point';
export { repeat, type Repetition } from './repeat';
export { currentRequestID, withRequestID } from './request-context';
export { createLogger, nestLogger, type Logger } from './logger';
export { Metrics } from './metrics';
export { HealthController, READINESS, type ReadinessCheck } from './health.controller';
export { stopOnSignals } from './signals';
