import type { DesiredState, InstanceStatus, Outcome, Severity, TriggerKind } from '@batuta/contracts';

/** The columns of `instance` that the service reads. */
export interface InstanceRow {
  instance_id: string;
  process_id: string;
  /** The name of the process when the start was accepted. */
  process_name: string;
  /** The owner of the process when the start was accepted. */
  owner_account_id: string;
  /** The company of the process; its credits pay for the instance unless it is a debug run. */
  company_id: string;
  /** The account that started the instance, for a schedule the owner of the process; null for a call of a webhook. */
  starter_account_id: string | null;
  environment_id: string;
  /** The published version; NO_VERSION for a debug run. */
  version_id: string;
  /** The number of the published version; 0 for a debug run. */
  version: number;
  /** 1 when the start came from a webhook caller that waits for the answer; stays 1 after the wait. */
  awaited: number;
  /** The abilities that the instance needs, separated by commas; null when the previous release accepted it. */
  needs: string | null;
  trigger_kind: TriggerKind;
  /** The name that is shown as the starter (`Trigger`). */
  user_name: string;
  /** The executor of the start, as `Trigger` says, cut to the length of the column. */
  executor: string;
  request_id: string;
  traceparent: string | null;
  status: InstanceStatus;
  /** Null until the instance has ended. */
  outcome: Outcome | null;
  /** What the last control action wants of the instance; `run` before the first one, and `stop` after every end in the queue. */
  desired: DesiredState;
  /** The fencing token: 0 at the acceptance into the queue, raised by each claim, and when an offered instance ends. */
  fence: number;
  /** The session that claimed or adopted the instance last; null in the queue, and after an end there. It stays after any other end. */
  session_id: string | null;
  /** The number of the last stored report; 0 before the first one since the claim. */
  last_report: number;
  /** The number of the last log line; 0 without lines. */
  last_line: number;
  /** Bytes of the evidence in the log lines, without pictures. */
  evidence_bytes: number;
  accepted_at: Date;
  /** When the instance was granted, or adopted before its grant; null for one that never ran. */
  started_at: Date | null;
  /** When the end was stored; null before. */
  finished_at: Date | null;
  error_step: string | null;
  error_message: string | null;
  /** What a success saved, as a decimal number; like `fte_hours` 0 for any other instance. */
  savings_value: string;
  fte_hours: number;
}

/** A row of `instance_log`. */
export interface LogRow {
  line: number;
  /** When the line was written: by the agent's clock, or by that of this service for a line that it added. */
  logged_at: Date;
  severity: Severity;
  message: string;
  step: string;
  evidence: string | null;
}
