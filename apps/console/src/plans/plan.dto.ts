import { ApiProperty } from '@nestjs/swagger';
import { IDField, IntegerField, TimeField } from '../http/answers';
import { Flag, Line, WholeNumber } from '../http/fields';

const NAME_EXAMPLE = { examples: ['Professional'] };
const MAX_MONTHLY_CREDITS = 1_000_000_000;
const MAX_LOG_RETENTION_DAYS = 3_650;
const MAX_REQUESTS_PER_MINUTE = 1_000_000;

export class PlanInput {
  @Line(NAME_EXAMPLE)
  name!: string;

  @Flag()
  apiAccess!: boolean;

  @Flag()
  scheduling!: boolean;

  @WholeNumber(0, MAX_MONTHLY_CREDITS)
  monthlyCredits!: number;

  @WholeNumber(1, MAX_LOG_RETENTION_DAYS)
  logRetentionDays!: number;

  @WholeNumber(1, MAX_REQUESTS_PER_MINUTE)
  requestsPerMinute!: number;
}

export class PlanChange {
  @Line({ ...NAME_EXAMPLE, optional: true })
  name?: string;

  @Flag({ optional: true })
  apiAccess?: boolean;

  @Flag({ optional: true })
  scheduling?: boolean;

  @WholeNumber(0, MAX_MONTHLY_CREDITS, { optional: true })
  monthlyCredits?: number;

  @WholeNumber(1, MAX_LOG_RETENTION_DAYS, { optional: true })
  logRetentionDays?: number;

  @WholeNumber(1, MAX_REQUESTS_PER_MINUTE, { optional: true })
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
