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

  @ApiProperty({ description: 'The name that the process has now.' })
  processName!: string;

  @ApiProperty()
  cronExpression!: string;

  @ApiProperty({
    description:
      'Whether it is switched on; even then it does not fire while the process is paused, with `unavailable`, or while its creator may not schedule.',
  })
  active!: boolean;

  @ApiProperty({
    description:
      'The label of the credential that created it, or the name of the account that created it in the console.',
  })
  userName!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'The values as they were sent, not converted; `•••` in place of one whose variable is now a Secreto or was removed or renamed.',
  })
  matrix!: Record<string, unknown>;

  @ApiProperty({ description: 'That of the schedule, else the one registered on the process now, else an empty text.' })
  environmentID!: string;

  @ApiProperty({
    enum: ['OWNER_PLAN_NO_SCHEDULING'],
    required: false,
    description: 'Present while the plan of the owner’s company has no scheduling, so that it does not fire.',
  })
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
  @TimeField({ description: 'The time that the cron expression gives, whenever it was processed.' })
  nominalAt!: string;

  @ApiProperty({
    enum: FIRING_RESULTS,
    description:
      '`late` = started more than a minute after its time; `pending` = not answered by execution yet; `skipped` and `failed` = nothing was ' +
      'started, for the `reason`.',
  })
  result!: FiringResult;

  @IDField({
    nullable: true,
    description:
      'The started instance; of a `pending` firing the one that it attempts to start, which may not exist yet; null of a skipped or failed one.',
  })
  instanceID!: string | null;

  @ApiProperty({
    type: FiringReason,
    nullable: true,
    description: 'Why no instance was started; of a `pending` firing, why its last attempt failed.',
  })
  reason!: FiringReason | null;

  @TimeField({ nullable: true, description: 'When the result became final; null while it is `pending`.' })
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

  @TimeField({ description: 'The beginning of the day in America/Sao_Paulo, in UTC.' })
  from!: string;

  @TimeField({ description: 'The beginning of the next day, exclusive.' })
  until!: string;

  @ApiProperty({ type: FiringCounts, description: 'The recorded firings by result; results without one are absent.' })
  firings!: FiringCounts;

  @ApiProperty({
    type: [String],
    format: 'date-time',
    description:
      'The first 24 nominal times still to come, also while the process is paused; none of a schedule that is switched off.',
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
  @LineField({ description: 'Also the `userName` of what it starts.' })
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

  @FlagField({ default: true, description: 'False: it is stored, and does not fire until it is switched on.' })
  active: boolean = true;

  /** Declared, because a body that was written for the external API may have this field, and unknown fields are refused. */
  @ApiHideProperty()
  @OnlyScheduleTimeZone()
  timeZone?: unknown;
}

export class ScheduleSwitchInput {
  @FlagField({ description: 'True: it fires from its next time on. False: times that are already due still fire.' })
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
