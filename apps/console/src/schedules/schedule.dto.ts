import { FIRING_RESULTS, type FiringResult } from '@batuta/contracts';
import { OnlyScheduleTimeZone } from '@batuta/http';
import { ApiHideProperty, ApiProperty } from '@nestjs/swagger';
import { IDField, IntegerField, TimeField } from '../http/response-fields';
import { textField, textRule } from '../http/field-builders';
import { lengthOf } from '../http/text';
import { DateTimeField, FlagField, LineField, MatrixValuesField, PatternField, ResourceIDField } from '../http/fields';
import { LimitQuery } from '../http/page.dto';

/** Maximum length of an expression in characters. */
const MAX_CRON_LENGTH = 1_000;
const isShortExpression = textRule(
  'maxLength',
  `must be at most ${MAX_CRON_LENGTH}`,
  (text) => lengthOf(text) <= MAX_CRON_LENGTH,
);

/** Five fields as in cron(5); the schedule service checks them. */
function CronExpression(options: { optional?: true } = {}): PropertyDecorator {
  const schema = { maxLength: MAX_CRON_LENGTH };
  return textField({ ...options, examples: ['0 8 * * MON-FRI'] }, schema, (text) => text, isShortExpression);
}

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
  @ResourceIDField({ optional: true, description: 'The id of the last schedule read.' })
  after?: string;
}

export class NewerSchedulesCursor {
  @IDField({ description: 'The last schedule of this answer.' })
  after!: string;
}

export class ScheduleList {
  @ApiProperty({ type: [ScheduleAnswer] })
  schedules!: ScheduleAnswer[];

  @ApiProperty({
    type: NewerSchedulesCursor,
    required: false,
    description: 'Further ones exist: `?after=` reads them.',
  })
  newer?: NewerSchedulesCursor;
}

export class FiringsQuery extends LimitQuery {
  @DateTimeField({ optional: true, description: 'Only nominal times from this one on.' })
  from?: string;

  @DateTimeField({ optional: true, description: 'Only nominal times before this one: the last one read.' })
  before?: string;
}

export class FiringReason {
  @ApiProperty({ description: 'An error code, PROCESS_PAUSED or MISSED.' })
  code!: string;

  @ApiProperty({ description: 'The same as a sentence.' })
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

  @IDField({ nullable: true, description: 'The started instance; null of a skipped or failed firing, which has none.' })
  instanceID!: string | null;

  @ApiProperty({
    type: FiringReason,
    nullable: true,
    description: 'Why no instance was started; of a `pending` firing, why its last attempt failed.',
  })
  reason!: FiringReason | null;

  @TimeField({ nullable: true })
  settledAt!: string | null;
}

export class OlderFiringsCursor {
  @TimeField({ description: 'The nominal time of the last firing of this answer.' })
  before!: string;
}

export class FiringList {
  @ApiProperty({ type: [FiringAnswer] })
  firings!: FiringAnswer[];

  @ApiProperty({ type: OlderFiringsCursor, required: false, description: 'Older ones exist: `?before=` reads them.' })
  older?: OlderFiringsCursor;
}

export class CalendarQuery {
  @PatternField(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11', { examples: ['2026-11'] })
  month!: string;
}

export class FiringCounts implements Partial<Record<FiringResult, number>> {
  @IntegerField({ required: false })
  pending?: number;

  @IntegerField({ required: false })
  fired?: number;

  @IntegerField({ required: false })
  late?: number;

  @IntegerField({ required: false })
  skipped?: number;

  @IntegerField({ required: false })
  failed?: number;
}

export class CalendarDayAnswer {
  @ApiProperty({ format: 'date', examples: ['2026-11-30'] })
  day!: string;

  @TimeField({ description: 'The begin of the day in America/Sao_Paulo.' })
  from!: string;

  @TimeField({ description: 'The begin of the next day.' })
  until!: string;

  @ApiProperty({ type: FiringCounts, description: 'The recorded firings by result; results without one are absent.' })
  firings!: FiringCounts;

  @ApiProperty({
    type: [String],
    format: 'date-time',
    description: 'The first 24 nominal times still to come; none of a schedule that is switched off.',
  })
  upcoming!: string[];

  @ApiProperty({ description: 'Further ones come on this day.' })
  moreUpcoming!: boolean;
}

export class ScheduleCalendar {
  @ApiProperty({
    type: [CalendarDayAnswer],
    description: 'Every day of the month in order, also days without firings.',
  })
  days!: CalendarDayAnswer[];
}

export class ScheduleChangeInput {
  @LineField({ optional: true })
  name?: string;

  @CronExpression({ optional: true })
  cronExpression?: string;

  @MatrixValuesField({ optional: true, description: 'Replaces all values of every run. No Secreto.' })
  matrix?: Record<string, unknown>;

  @ResourceIDField({ optional: true, nullable: true, description: 'null = the one registered on the process.' })
  environmentID?: string | null;
}

export class ScheduleInput {
  @LineField({ description: 'The `userName` of what it starts.' })
  name!: string;

  @CronExpression()
  cronExpression!: string;

  @MatrixValuesField({
    optional: true,
    description: 'Values of every run by variable name. No Secreto: put it into the vault.',
  })
  matrix?: Record<string, unknown>;

  @ResourceIDField({ optional: true, description: 'Absent = the one registered on the process.' })
  environmentID?: string;

  @FlagField({ default: true })
  active: boolean = true;

  /** Declared, because a body that was written for the external API may have this field, and unknown fields are refused. */
  @ApiHideProperty()
  @OnlyScheduleTimeZone()
  timeZone?: unknown;
}

export class ScheduleSwitchInput {
  @FlagField()
  active!: boolean;
}

export class ScheduleState {
  @IDField()
  id!: string;

  @ApiProperty()
  active!: boolean;
}

export class AddedSchedule {
  @IDField()
  id!: string;
}

/** The expression whose next nominal times are asked for. */
export class CronInput {
  @CronExpression()
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
