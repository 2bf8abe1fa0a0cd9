// No import of Nest here: the agent uses this library and must stay small.
export { createLogger, type Logger } from './logger';
export { faultPoint } from './fault-point';
export { currentRequestID, withRequestID } from './request-context';
