import { FIRING_RESULTS, type FiringResult } from '@batuta/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IDField, TimeField } from '../http/answers';
import { textField, textRule } from '../http/field';
import { lengthOf } from '../http/text';
import { DateTime, ResourceID } from '../http/fields';
import { LimitQuery } from '../http/page.dto';

export class ScheduleAnswer {
  @IDField()
  id!: string;

  @ApiProperty()
  name!: string;

  @IDField()
  processID!: string;

  @ApiProperty()
  processName!: string;

  @ApiProperty()
  cronExpression!: string;

  @ApiProperty()
  active!: boolean;

  @ApiProperty({ description: 'The label of the credential that created it.' })
  userName!: string;

  @ApiProperty({ type: 'object', additionalProperties: true })
  matrix!: Record<string, unknown>;

  @ApiProperty()
  environmentID!: string;

  @ApiProperty({ enum: ['OWNER_PLAN_NO_SCHEDULING'], required: false })
  unavailable?: 'OWNER_PLAN_NO_SCHEDULING';
}

export class SchedulesQuery {
  @ResourceID({ optional: true, description: 'The id of the last schedule read.' })
  after?: string;
}

export class NewerSchedules {
  @IDField({ description: 'The last schedule of this answer.' })
  after!: string;
}

export class ScheduleList {
  @ApiProperty({ type: [ScheduleAnswer] })
  schedules!: ScheduleAnswer[];

  @ApiProperty({ type: NewerSchedules, required: false, description: 'Further ones exist: `?after=` reads them.' })
  newer?: NewerSchedules;
}

export class FiringsQuery extends LimitQuery {
  @DateTime({ optional: true, description: 'Only nominal times before this one: the last one read.' })
  before?: string;
}

export class FiringReason {
  @ApiProperty()
  code!: string;

  @ApiProperty()
  message!: string;
}

export class FiringAnswer {
  @TimeField()
  nominalAt!: string;

  @ApiProperty({
    enum: FIRING_RESULTS,
    description: '`late` = started more than a minute after its time; `pending` = not answered by execution yet.',
  })
  result!: FiringResult;

  @IDField({ nullable: true })
  instanceID!: string | null;

  @ApiProperty({ type: FiringReason, nullable: true })
  reason!: FiringReason | null;

  @TimeField({ nullable: true })
  settledAt!: string | null;
}

export class OlderFirings {
  @TimeField({ description: 'The nominal time of the last firing of this answer.' })
  before!: string;
}

export class FiringList {
  @ApiProperty({ type: [FiringAnswer] })
  firings!: FiringAnswer[];

  @ApiProperty({ type: OlderFirings, required: false, description: 'Older ones exist: `?before=` reads them.' })
  older?: OlderFirings;
}

const MAX_CRON_LENGTH = 1_000;
const isShort = textRule(
  'maxLength',
  `must be at most ${MAX_CRON_LENGTH}`,
  (text) => lengthOf(text) <= MAX_CRON_LENGTH,
);

export class CronInput {
  @textField({ examples: ['0 8 * * MON-FRI'] }, { maxLength: MAX_CRON_LENGTH }, (text) => text, isShort)
  cronExpression!: string;
}

export class UpcomingTimeAnswer {
  @TimeField()
  at!: string;

  @TimeField({ description: 'As the clocks of America/Sao_Paulo show it.' })
  local!: string;
}

export class UpcomingTimes {
  @ApiProperty({ type: [UpcomingTimeAnswer] })
  times!: UpcomingTimeAnswer[];
}
