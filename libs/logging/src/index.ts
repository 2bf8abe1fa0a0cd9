// Logs and what marks a piece of work, for programs without Nest too: the agent is small only as long as this stays so.
export { createLogger, type Logger } from './logger';
export { faultPoint } from './fault-point';
export { currentRequestID, withRequestID } from './request-context';
