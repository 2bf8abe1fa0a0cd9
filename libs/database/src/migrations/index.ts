import { Registry0001 } from './0001-registry';
import { Execution0002 } from './0002-execution';
import { Sessions0003 } from './0003-sessions';
import { Schedules0004 } from './0004-schedules';
import { Webhooks0005 } from './0005-webhooks';
import { MatrixRevision0006 } from './0006-matrix-revision';
import { Secrets0007 } from './0007-secrets';
import { Login0009 } from './0009-login';
import { InstanceStarter0011 } from './0011-instance-starter';
import { KeptEvidence0012 } from './0012-kept-evidence';
import { QueueCancellation0014 } from './0014-queue-cancellation';
import { Needs0015 } from './0015-needs';
import { Pictures0016 } from './0016-pictures';
import { AgentKey0017 } from './0017-agent-key';
import { ScheduleSize0018 } from './0018-schedule-size';
import { Retries0019 } from './0019-retries';
import { Traceparent0020 } from './0020-traceparent';
import { ManagementAudit0021 } from './0021-management-audit';
import { MissedExpression0023 } from './0023-missed-expression';
import { IdempotencyKeyID0024 } from './0024-idempotency-key-id';
import { EventSubscriptions0025 } from './0025-event-subscriptions';
import { PlanRetention0026 } from './0026-plan-retention';
import { LeaseHealth0027 } from './0027-lease-health';
import { ScheduleSizeIndex0028 } from './0028-schedule-size-index';
import { RunFilter0029 } from './0029-run-filter';
import { ShareEvents0030 } from './0030-share-events';
import { LedgerTime0031 } from './0031-ledger-time';
import { KeptValues0032 } from './0032-kept-values';
import { CorrectionAmounts0033 } from './0033-correction-amounts';

/**
 * Every migration, in order. New ones are added at the end; the schema that an existing migration produces never
 * changes.
 */
export const MIGRATIONS = [
  Registry0001,
  Execution0002,
  Sessions0003,
  Schedules0004,
  Webhooks0005,
  MatrixRevision0006,
  Secrets0007,
  Login0009,
  InstanceStarter0011,
  KeptEvidence0012,
  QueueCancellation0014,
  Needs0015,
  Pictures0016,
  AgentKey0017,
  ScheduleSize0018,
  Retries0019,
  Traceparent0020,
  ManagementAudit0021,
  MissedExpression0023,
  IdempotencyKeyID0024,
  EventSubscriptions0025,
  PlanRetention0026,
  LeaseHealth0027,
  ScheduleSizeIndex0028,
  RunFilter0029,
  ShareEvents0030,
  LedgerTime0031,
  KeptValues0032,
  CorrectionAmounts0033,
];
