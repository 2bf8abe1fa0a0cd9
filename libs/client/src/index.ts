export { Batuta } from './batuta';
export { BatutaError, BatutaUnreachable, type ErrorCode } from './error';
export type * from './generated/api';
export { answerTo, type Connection, type Http } from './http';
export {
  hasEnded,
  InstanceClient,
  StillInProgress,
  type ControlAction,
  type Instance,
  type LogQuery,
} from './instance';
export { ProcessClient, type HistoryQuery, type StartInput, type StartOptions } from './process';
export type { RetryOptions } from './retry';
export { SchedulesClient, type ScheduleInput } from './schedules';
