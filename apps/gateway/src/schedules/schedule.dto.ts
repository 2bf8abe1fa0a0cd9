import type { Schedule } from '@batuta/contracts';
import { ANY_RECORD, TRUE_ONLY } from '@batuta/openapi';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { CRON_DESCRIPTION } from './schedule-body.dto';

/** A schedule as callers see it (contract 2.9). */
@ApiSchema({ name: 'Schedule' })
export class ScheduleDto implements Schedule {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ format: 'uuid' })
  processID!: string;

  @ApiProperty({ description: 'The present name of the process.' })
  processName!: string;

  @ApiProperty({ description: CRON_DESCRIPTION })
  cronExpression!: string;

  @ApiProperty({
    description:
      'Whether it is switched on. Its firings are skipped all the same while the process is paused, or its creator may no longer schedule the process.',
  })
  active!: boolean;

  @ApiProperty({
    description:
      'Who created it: the label of the credential, or the name of the account that created it in the console. Its runs have the name of the schedule instead.',
  })
  userName!: string;

  @ApiProperty({
    ...ANY_RECORD,
    description:
      'The values as they were sent; `•••` where the variable is a `Secreto` by now, or does not exist any more.',
  })
  matrix!: Record<string, unknown>;

  @ApiProperty({
    description:
      'The environment that was sent, else the one that is registered on the process now; empty without either.',
  })
  environmentID!: string;

  @ApiPropertyOptional({
    enum: ['OWNER_PLAN_NO_SCHEDULING'],
    description:
      'Only there when it applies: the plan of the company that owns the process has no scheduling, so its firings are skipped.',
  })
  unavailable?: 'OWNER_PLAN_NO_SCHEDULING';
}

@ApiSchema({ name: 'NewerSchedules' })
export class NewerSchedulesDto {
  @ApiProperty({ format: 'uuid', description: 'The last schedule of this answer.' })
  after!: string;
}

@ApiSchema({ name: 'ScheduleList' })
export class ScheduleListDto {
  @ApiProperty({ type: [ScheduleDto] })
  schedules!: ScheduleDto[];

  @ApiPropertyOptional({ description: 'Only there when further schedules exist: `?after=` with this id reads them.' })
  newer?: NewerSchedulesDto;
}

@ApiSchema({ name: 'ScheduleCreated' })
export class ScheduleCreatedDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
}

@ApiSchema({ name: 'ScheduleChanged' })
export class ScheduleChangedDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  active!: boolean;
}

@ApiSchema({ name: 'ScheduleRemoved' })
export class ScheduleRemovedDto {
  @ApiProperty(TRUE_ONLY)
  ok!: true;
}

const EXAMPLE_SCHEDULE_ID = '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c20';

export const CREATED_EXAMPLE: ScheduleCreatedDto = { id: EXAMPLE_SCHEDULE_ID };
export const CHANGED_EXAMPLE: ScheduleChangedDto = { id: EXAMPLE_SCHEDULE_ID, active: false };
export const REMOVED_EXAMPLE: ScheduleRemovedDto = { ok: true };
export const SCHEDULE_EXAMPLE: ScheduleDto = {
  id: EXAMPLE_SCHEDULE_ID,
  processID: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c11',
  processName: 'Take orders',
  name: 'Every morning',
  cronExpression: '0 8 * * MON-FRI',
  active: true,
  userName: 'ERP',
  matrix: { customer: 'Empório São João' },
  environmentID: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c12',
};
export const SCHEDULES_EXAMPLE: ScheduleListDto = { schedules: [SCHEDULE_EXAMPLE] };
