import { ApiProperty } from '@nestjs/swagger';
import { IDField, IntegerField, TimeField } from '../http/response-fields';
import { FlagField, LineField, WholeNumberField } from '../http/fields';

const NAME_EXAMPLE = { examples: ['Professional'] };
const MAX_MONTHLY_CREDITS = 1_000_000_000;
const MAX_LOG_RETENTION_DAYS = 3_650;
const MAX_REQUESTS_PER_MINUTE = 1_000_000;

export class PlanInput {
  @LineField(NAME_EXAMPLE)
  name!: string;

  @FlagField()
  apiAccess!: boolean;

  @FlagField()
  scheduling!: boolean;

  @WholeNumberField(0, MAX_MONTHLY_CREDITS)
  monthlyCredits!: number;

  @WholeNumberField(1, MAX_LOG_RETENTION_DAYS)
  logRetentionDays!: number;

  @WholeNumberField(1, MAX_REQUESTS_PER_MINUTE)
  requestsPerMinute!: number;
}

export class PlanChange {
  @LineField({ ...NAME_EXAMPLE, optional: true })
  name?: string;

  @FlagField({ optional: true })
  apiAccess?: boolean;

  @FlagField({ optional: true })
  scheduling?: boolean;

  @WholeNumberField(0, MAX_MONTHLY_CREDITS, { optional: true })
  monthlyCredits?: number;

  @WholeNumberField(1, MAX_LOG_RETENTION_DAYS, { optional: true })
  logRetentionDays?: number;

  @WholeNumberField(1, MAX_REQUESTS_PER_MINUTE, { optional: true })
  requestsPerMinute?: number;
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

  @IntegerField()
  monthlyCredits!: number;

  @IntegerField()
  logRetentionDays!: number;

  @IntegerField()
  requestsPerMinute!: number;

  @TimeField()
  createdAt!: string;
}

export class PlanList {
  @ApiProperty({ type: [PlanAnswer] })
  plans!: PlanAnswer[];
}
