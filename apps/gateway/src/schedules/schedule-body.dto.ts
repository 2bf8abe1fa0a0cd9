import { UNITS_PER_COMPOSED } from '@batuta/auth';
import type { ScheduleDraft } from '@batuta/contracts';
import {
  combineDecorators,
  fieldRule,
  OnlyScheduleTimeZone,
  presenceRule,
  refusedAs,
  SCHEDULE_TIME_ZONE,
} from '@batuta/http';
import { ANY_RECORD } from '@batuta/openapi';
import { ApiHideProperty, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Allow, IsBoolean, IsString } from 'class-validator';
import { ENVIRONMENTS_HINT } from '../common/refusal-hints';
import { IsID, IsMatrix } from '../http/fields';

const MAX_NAME_LENGTH = 120;
// Lone surrogates cannot be stored as UTF-8; control characters would break a line or a terminal.
const UNPRINTABLE_CHARACTER = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

export const CRON_DESCRIPTION = `Five fields as in cron(5): minute, hour, day of month, month, day of week; read in ${SCHEDULE_TIME_ZONE}.`;

const countCharacters = (text: unknown): number => Array.from(String(text)).length;

const IsScheduleName = (): PropertyDecorator => {
  const invalid = refusedAs('INVALID_NAME');
  return combineDecorators(
    Transform(({ value }) => (typeof value === 'string' ? normalizedName(value) : value)),
    presenceRule({}, invalid),
    IsString({ ...invalid, message: 'must be a text' }),
    fieldRule('notEmpty', 'is empty', (name) => countCharacters(name) > 0, invalid),
    fieldRule('maxCharacters', `is longer than ${MAX_NAME_LENGTH} characters`, isShortName, invalid),
    fieldRule('printable', 'has control characters', (name) => !UNPRINTABLE_CHARACTER.test(String(name)), invalid),
  );
};

const IsCronText = (): PropertyDecorator => {
  const invalid = refusedAs('INVALID_CRON');
  return combineDecorators(
    presenceRule({}, invalid),
    IsString({ ...invalid, message: 'must be a text of five fields' }),
  );
};

/** Trimmed, in Unicode form NFC. A name that is too long even when composed is only trimmed, because composing a megabyte takes a minute. */
function normalizedName(name: string): string {
  const trimmed = name.trim();
  return trimmed.length > UNITS_PER_COMPOSED * MAX_NAME_LENGTH ? trimmed : trimmed.normalize('NFC').trim();
}

function isShortName(name: unknown): boolean {
  return countCharacters(name) <= MAX_NAME_LENGTH;
}

/** The body of contract 4.13. The fields are validated in the order of the contract; the schedule service checks their meaning. */
export class ScheduleBody implements ScheduleDraft {
  // The authorization pipeline has checked this id already.
  @ApiProperty({ format: 'uuid', description: 'The process that the X-Process-Key belongs to.' })
  @Allow()
  processID!: string;

  @ApiProperty({
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    description:
      '1 to 120 characters after trimming; the `userName` of the instances that it starts. Names need not differ.',
  })
  @IsScheduleName()
  name!: string;

  @ApiProperty({ description: CRON_DESCRIPTION })
  @IsCronText()
  cronExpression!: string;

  @ApiPropertyOptional({
    ...ANY_RECORD,
    description:
      'Values of every run by variable name, converted anew for each run. A `Secreto` is refused: put it into the vault.',
  })
  @presenceRule({ optional: true })
  @IsMatrix()
  matrix?: Record<string, unknown>;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'Where to run; unless sent, the environment that is registered on the process when a firing starts.',
  })
  @presenceRule({ optional: true })
  @IsID('INVALID_ENVIRONMENT', `must be a UUID; ${ENVIRONMENTS_HINT}`)
  environmentID?: string;

  @ApiPropertyOptional({ default: true, description: 'False: it does not fire until it is switched on.' })
  @IsBoolean({ message: 'must be true or false' })
  active: boolean = true;

  /** Declared, because an unknown field would be ignored, and the schedule would run at hours of another time zone. */
  @ApiHideProperty()
  @OnlyScheduleTimeZone()
  timeZone?: unknown;
}

export class ScheduleChange {
  @ApiProperty({
    description: 'True: it fires from its next time on. False: only a time that is due already may still fire.',
  })
  @combineDecorators(presenceRule({}), IsBoolean({ message: 'must be true or false' }))
  active!: boolean;
}

export class ScheduleParams {
  @ApiProperty({
    format: 'uuid',
    description: 'The id of a schedule.',
    example: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c20',
  })
  @IsID('SCHEDULE_NOT_FOUND', 'no such schedule')
  id!: string;
}

/** The query of contract 4.12. */
export class ScheduleQuery {
  @ApiPropertyOptional({ format: 'uuid', description: 'Only schedules after this one, in the order of creation.' })
  @presenceRule({ optional: true })
  @IsID('BAD_REQUEST', 'must be the id of a schedule')
  after?: string;
}

const EXAMPLE_PROCESS_ID = '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c11';
const EVERY_MORNING_EXAMPLE = { name: 'Every morning', cronExpression: '0 8 * * MON-FRI' };

export const CREATION_BODY_EXAMPLES = {
  morning: { summary: 'At eight on working days', value: { processID: EXAMPLE_PROCESS_ID, ...EVERY_MORNING_EXAMPLE } },
  values: {
    summary: 'With values, switched off for now',
    value: {
      processID: EXAMPLE_PROCESS_ID,
      ...EVERY_MORNING_EXAMPLE,
      matrix: { customer: 'Empório São João' },
      active: false,
    },
  },
};

export const CHANGE_BODY_EXAMPLES = {
  off: { summary: 'Switch it off', value: { active: false } },
  on: { summary: 'Switch it on', value: { active: true } },
};
