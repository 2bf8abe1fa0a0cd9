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

/** A field with a number of days for which something is kept; null or absent = for ever. */
const RetentionDaysField = (description: string) =>
  WholeNumberField(RETENTION_DAYS_RANGE.min, RETENTION_DAYS_RANGE.max, { optional: true, nullable: true, description });

export class PlanInput {
  @LineField(NAME_EXAMPLE)
  name!: string;

  @FlagField()
  apiAccess!: boolean;

  @FlagField()
  scheduling!: boolean;

  @WholeNumberField(0, MAX_MONTHLY_CREDITS, { description: MONTHLY_CREDITS })
  monthlyCredits!: number;

  @WholeNumberField(1, MAX_LOG_RETENTION_DAYS)
  logRetentionDays!: number;

  @WholeNumberField(1, MAX_REQUESTS_PER_MINUTE)
  requestsPerMinute!: number;

  @RetentionDaysField(AUDIT_DAYS)
  auditDays?: number | null;

  @RetentionDaysField(LEDGER_DAYS)
  ledgerDays?: number | null;
}

export class PlanChange {
  @LineField({ ...NAME_EXAMPLE, optional: true })
  name?: string;

  @FlagField({ optional: true })
  apiAccess?: boolean;

  @FlagField({ optional: true })
  scheduling?: boolean;

  @WholeNumberField(0, MAX_MONTHLY_CREDITS, { optional: true, description: MONTHLY_CREDITS })
  monthlyCredits?: number;

  @WholeNumberField(1, MAX_LOG_RETENTION_DAYS, { optional: true })
  logRetentionDays?: number;

  @WholeNumberField(1, MAX_REQUESTS_PER_MINUTE, { optional: true })
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

  @ApiProperty()
  apiAccess!: boolean;

  @ApiProperty()
  scheduling!: boolean;

  @IntegerField({ description: MONTHLY_CREDITS })
  monthlyCredits!: number;

  @IntegerField()
  logRetentionDays!: number;

  @IntegerField()
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
