import type { DesiredState, InstanceStatus, Outcome, Severity, TriggerKind } from '@batuta/contracts';

/** The columns of `instance` that the service reads. */
export interface InstanceRow {
  instance_id: string;
  process_id: string;
  process_name: string;
  owner_account_id: string;
  company_id: string;
  starter_account_id: string | null;
  environment_id: string;
  version_id: string;
  version: number;
  awaited: number;
  /** The abilities that the instance needs, in the form of `needsOf`; null when the previous release accepted it. */
  needs: string | null;
  trigger_kind: TriggerKind;
  user_name: string;
  executor: string;
  request_id: string;
  traceparent: string | null;
  status: InstanceStatus;
  outcome: Outcome | null;
  desired: DesiredState;
  fence: number;
  session_id: string | null;
  last_report: number;
  last_line: number;
  evidence_bytes: number;
  accepted_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  error_step: string | null;
  error_message: string | null;
  savings_value: string;
  fte_hours: number;
}

/** A row of `instance_log`. */
export interface LogRow {
  line: number;
  logged_at: Date;
  severity: Severity;
  message: string;
  step: string;
  evidence: string | null;
}
