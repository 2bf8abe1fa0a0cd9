import { ApiProperty } from '@nestjs/swagger';
import { IDField, IntegerField, TimeField } from '../http/response-fields';
import { FlagField, LineField, WholeNumberField } from '../http/fields';

const NAME_EXAMPLE = { examples: ['Professional'] };
const MAX_MONTHLY_CREDITS = 1_000_000_000;
const MAX_LOG_RETENTION_DAYS = 3_650;
/** The minimum keeps the records of a month until people have seen its credits and can dispute them. */
const RETENTION_DAYS_RANGE = { min: 30, max: 3_650 };
const MAX_REQUESTS_PER_MINUTE = 1_000_000;

const AUDIT_DAYS = 'How many days the audit trail keeps events of the companies and their instances; null = for ever.';
const MONTHLY_CREDITS =
  'The balance with which a company begins each month. Credits that are left are not carried over; an increase counts at once, a decrease from the next month.';
const LEDGER_DAYS =
  'How many days the ledger keeps entries; one entry `carried` with their sum replaces the older ones. null = for ever.';

const API_ACCESS =
  'Whether accounts of the company may call the API, and third parties the production URLs of its processes.';
const SCHEDULING =
  'Whether the processes of the company may be scheduled; while it is false, their schedules stay and do not fire.';
const LOG_RETENTION = 'How many days after the end of an instance its log lines, pictures and kept values are deleted.';
const REQUESTS_PER_MINUTE =
  'Maximum requests of one credential and calls of one webhook origin; a setting of the gateway limits all credentials of a company together.';

/** A field with a number of days for which something is kept; null or absent = for ever. */
const RetentionDaysField = (description: string) =>
  WholeNumberField(RETENTION_DAYS_RANGE.min, RETENTION_DAYS_RANGE.max, { optional: true, nullable: true, description });

export class PlanInput {
  @LineField(NAME_EXAMPLE)
  name!: string;

  @FlagField({ description: API_ACCESS })
  apiAccess!: boolean;

  @FlagField({ description: SCHEDULING })
  scheduling!: boolean;

  @WholeNumberField(0, MAX_MONTHLY_CREDITS, { description: MONTHLY_CREDITS })
  monthlyCredits!: number;

  @WholeNumberField(1, MAX_LOG_RETENTION_DAYS, { description: LOG_RETENTION })
  logRetentionDays!: number;

  @WholeNumberField(1, MAX_REQUESTS_PER_MINUTE, { description: REQUESTS_PER_MINUTE })
  requestsPerMinute!: number;

  @RetentionDaysField(AUDIT_DAYS)
  auditDays?: number | null;

  @RetentionDaysField(LEDGER_DAYS)
  ledgerDays?: number | null;
}

export class PlanChange {
  @LineField({ ...NAME_EXAMPLE, optional: true })
  name?: string;

  @FlagField({ optional: true, description: API_ACCESS })
  apiAccess?: boolean;

  @FlagField({ optional: true, description: SCHEDULING })
  scheduling?: boolean;

  @WholeNumberField(0, MAX_MONTHLY_CREDITS, { optional: true, description: MONTHLY_CREDITS })
  monthlyCredits?: number;

  @WholeNumberField(1, MAX_LOG_RETENTION_DAYS, { optional: true, description: LOG_RETENTION })
  logRetentionDays?: number;

  @WholeNumberField(1, MAX_REQUESTS_PER_MINUTE, { optional: true, description: REQUESTS_PER_MINUTE })
  requestsPerMinute?: number;

  @RetentionDaysField(AUDIT_DAYS)
  auditDays?: number | null;

  @RetentionDaysField(LEDGER_DAYS)
  ledgerDays?: number | null;
}

export class PlanAnswer {
  @IDField()
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ description: API_ACCESS })
  apiAccess!: boolean;

  @ApiProperty({ description: SCHEDULING })
  scheduling!: boolean;

  @IntegerField({ description: MONTHLY_CREDITS })
  monthlyCredits!: number;

  @IntegerField({ description: LOG_RETENTION })
  logRetentionDays!: number;

  @IntegerField({ description: REQUESTS_PER_MINUTE })
  requestsPerMinute!: number;

  @IntegerField({ nullable: true, description: AUDIT_DAYS })
  auditDays!: number | null;

  @IntegerField({ nullable: true, description: LEDGER_DAYS })
  ledgerDays!: number | null;

  @TimeField()
  createdAt!: string;
}

export class PlanList {
  @ApiProperty({ type: [PlanAnswer] })
  plans!: PlanAnswer[];
}
