import { schedule, type FiringPage, type UpcomingTime } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BASE_PATH, Endpoint, PROCESS_ERRORS } from '../sessions/endpoint';
import { Done } from '../http/response-fields';
import { requireChange } from '../http/body-pipes';
import { ProcessPath, SchedulePath } from '../http/path.dto';
import { ProcessAccessService } from '../access/process-access.service';
import { CompanyCallerOf, toCaller, type CompanyCaller } from '../sessions/caller';
import { ScheduleCreationService } from './schedule-creation.service';
import {
  AddedSchedule,
  CalendarQuery,
  CronInput,
  FiringList,
  FiringsQuery,
  ScheduleAnswer,
  ScheduleCalendar,
  ScheduleChangeInput,
  ScheduleInput,
  ScheduleList,
  SchedulesQuery,
  ScheduleState,
  ScheduleSwitchInput,
  UpcomingTimes,
} from './schedule.dto';

const audience = 'company';

/** The routes of schedules, which the schedule service stores. */
@ApiTags('Schedules')
@Controller(BASE_PATH)
export class ScheduleController {
  constructor(
    private readonly rpc: Rpc,
    private readonly access: ProcessAccessService,
    private readonly creations: ScheduleCreationService,
  ) {}

  @Get('processes/:pid/schedules')
  @Endpoint({
    summary: 'The schedules of a process, oldest first',
    description:
      'An answer has at most about 1 MB; `newer` holds the query for further schedules. Needs the permission `schedule`.',
    audience,
    answer: ScheduleList,
    errors: PROCESS_ERRORS,
  })
  async list(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Query() { after }: SchedulesQuery,
  ): Promise<ScheduleList> {
    await this.access.require(accountID, pid, 'schedule');
    const { schedules, more } = await this.rpc.call(schedule.ofProcess, { processID: pid, after });
    const last = schedules.at(-1)?.id;
    return { schedules, ...(more && last !== undefined && { newer: { after: last } }) };
  }

  @Post('processes/:pid/schedules')
  @Endpoint({
    summary: 'Schedule a process',
    description:
      'Each run is one of the owner of the process, whose plan has to include scheduling. Needs the permission `schedule`.',
    audience,
    answer: AddedSchedule,
    status: 201,
    errors: [
      ...PROCESS_ERRORS,
      'INVALID_CRON',
      'INVALID_MATRIX',
      'INVALID_ENVIRONMENT',
      'PLAN_FEATURE_UNAVAILABLE',
      'QUOTA_EXCEEDED',
    ],
  })
  async add(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Body() { name, cronExpression, matrix, environmentID, active }: ScheduleInput,
  ): Promise<AddedSchedule> {
    await this.access.require(caller.accountID, pid, 'schedule');
    const creator = { ...toCaller(caller), label: caller.name };
    const draft = { name, cronExpression, matrix, environmentID, active };
    return this.creations.add({ processID: pid, creator, executor: caller.email, draft });
  }

  @Get('schedules')
  @Endpoint({
    summary: 'The schedules of the own processes, and those that one created on shared ones, oldest first',
    description: 'An answer has at most about 1 MB; `newer` holds the query for further schedules.',
    audience,
    answer: ScheduleList,
  })
  async own(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Query() { after }: SchedulesQuery,
  ): Promise<ScheduleList> {
    const { schedules, more } = await this.rpc.call(schedule.list, { accountID, after });
    const last = schedules.at(-1)?.id;
    return { schedules, ...(more && last !== undefined && { newer: { after: last } }) };
  }

  @Get('schedules/:id')
  @Endpoint({
    summary: 'A schedule with its values',
    description: 'For who created it, for the owner of its process, and for shares with the permission `schedule`.',
    audience,
    answer: ScheduleAnswer,
    errors: ['SCHEDULE_NOT_FOUND'],
  })
  read(@CompanyCallerOf() { accountID }: CompanyCaller, @Param() { id }: SchedulePath): Promise<ScheduleAnswer> {
    return this.rpc.call(schedule.read, { id, accountID });
  }

  @Patch('schedules/:id')
  @Endpoint({
    summary: 'Change a schedule',
    description:
      'Fields that are absent stay. Times that are due by the former expression keep their firings; the new one begins with its ' +
      'next time. For who created it and for the owner of its process; refused once its creator may no longer schedule the process.',
    audience,
    answer: AddedSchedule,
    errors: [
      'SCHEDULE_NOT_FOUND',
      'PROCESS_NOT_FOUND',
      'OWNER_INACTIVE',
      'INVALID_CRON',
      'INVALID_MATRIX',
      'INVALID_ENVIRONMENT',
      'PLAN_FEATURE_UNAVAILABLE',
    ],
  })
  change(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { id }: SchedulePath,
    @Body(requireChange) { name, cronExpression, matrix, environmentID }: ScheduleChangeInput,
  ): Promise<AddedSchedule> {
    const changes = { name, cronExpression, matrix, environmentID };
    return this.rpc.call(schedule.change, { id, ...toCaller(caller), changes });
  }

  @Put('schedules/:id/active')
  @Endpoint({
    summary: 'Switch a schedule on or off',
    description:
      'For who created it and for the owner of its process. It cannot be switched on once its creator may no longer schedule the process, or ' +
      'while the plan of the owner has no scheduling.',
    audience,
    answer: ScheduleState,
    errors: ['SCHEDULE_NOT_FOUND', 'PLAN_FEATURE_UNAVAILABLE'],
  })
  setActive(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { id }: SchedulePath,
    @Body() { active }: ScheduleSwitchInput,
  ): Promise<ScheduleState> {
    return this.rpc.call(schedule.setActive, { id, ...toCaller(caller), active });
  }

  @Delete('schedules/:id')
  @Endpoint({
    summary: 'Remove a schedule with its firings',
    description: 'For who created it and for the owner of its process.',
    audience,
    answer: Done,
    errors: ['SCHEDULE_NOT_FOUND'],
  })
  remove(@CompanyCallerOf() caller: CompanyCaller, @Param() { id }: SchedulePath): Promise<Done> {
    return this.rpc.call(schedule.remove, { id, ...toCaller(caller) });
  }

  @Get('schedules/:id/firings')
  @Endpoint({
    summary: 'What became of each time of a schedule, newest first',
    description:
      'An answer has at most about 1 MB; `older` holds the query for older ones. For who created it, for the owner of its process, and for shares with the permission `schedule`.',
    audience,
    answer: FiringList,
    errors: ['SCHEDULE_NOT_FOUND'],
  })
  firings(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Param() { id }: SchedulePath,
    @Query() { limit, from, before }: FiringsQuery,
  ): Promise<FiringPage> {
    return this.rpc.call(schedule.firings, { id, accountID, limit, from, before });
  }

  @Get('schedules/:id/calendar')
  @Endpoint({
    summary: 'The days of a month with the firings of a schedule by result, and with the times still to come',
    description: 'Days of America/Sao_Paulo. For everybody who may read the firings.',
    audience,
    answer: ScheduleCalendar,
    errors: ['SCHEDULE_NOT_FOUND'],
  })
  calendar(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Param() { id }: SchedulePath,
    @Query() { month }: CalendarQuery,
  ): Promise<ScheduleCalendar> {
    return this.rpc.call(schedule.calendar, { id, accountID, month });
  }

  @Post('schedules/preview')
  @Endpoint({
    summary: 'The next ten times of a cron expression',
    audience,
    answer: UpcomingTimes,
    errors: ['INVALID_CRON'],
  })
  preview(@Body() input: CronInput): Promise<{ times: UpcomingTime[] }> {
    return this.rpc.call(schedule.preview, input);
  }
}
