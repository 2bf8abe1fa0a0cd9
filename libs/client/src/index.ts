export { Batuta } from './batuta';
export { BatutaError, BatutaUnreachable, UnsendableCall, type ErrorCode } from './error';
export { followEvents, type FollowOptions, type InstanceEvent, type OpenStream } from './events';
export type * from './generated/api';
export { answerTo, EVENT_STREAM, requireHeaderText, UNCOMPRESSED, type Connection, type TypedHttp } from './http';
export {
  hasEnded,
  InstanceClient,
  StillInProgress,
  type ControlAction,
  type Instance,
  type LogQuery,
} from './instance';
export {
  ProcessClient,
  type AcceptedStart,
  type AwaitedEnd,
  type HistoryQuery,
  type StartBody,
  type StartOptions,
  type WaitOptions,
} from './process';
export { retry, type RetryOptions } from './retry';
export { SchedulesClient, type ScheduleInput } from './schedules';
