import { schedule, type FiringPage, type UpcomingTime } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BASE, Endpoint, PROCESS_ERRORS } from '../sessions/endpoint';
import { LargeAnswer } from '../sessions/large-answer';
import { ProcessPath, SchedulePath } from '../http/path.dto';
import { ProcessAccessService } from '../access/process-access.service';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { CronInput, FiringList, FiringsQuery, ScheduleList, SchedulesQuery, UpcomingTimes } from './schedule.dto';

const audience = 'company';

/** Reads schedules from the schedule service; clients create them over the external API. */
@ApiTags('Schedules')
@Controller(BASE)
export class ScheduleController {
  constructor(
    private readonly rpc: Rpc,
    private readonly access: ProcessAccessService,
  ) {}

  @Get('processes/:pid/schedules')
  @Endpoint({
    summary: 'The schedules of a process, oldest first',
    description:
      'An answer has about 1 MB; `newer` holds the query for further schedules. Needs the permission `schedule`.',
    audience,
    answer: ScheduleList,
    errors: PROCESS_ERRORS,
  })
  @LargeAnswer()
  async list(
    @OfCompany() { accountID }: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Query() { after }: SchedulesQuery,
  ): Promise<ScheduleList> {
    await this.access.require(accountID, pid, 'schedule');
    const { schedules, more } = await this.rpc.call(schedule.ofProcess, { processID: pid, after });
    const last = schedules.at(-1)?.id;
    return { schedules, ...(more && last !== undefined && { newer: { after: last } }) };
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
  @LargeAnswer()
  firings(
    @OfCompany() { accountID }: CompanyCaller,
    @Param() { id }: SchedulePath,
    @Query() { limit, before }: FiringsQuery,
  ): Promise<FiringPage> {
    return this.rpc.call(schedule.firings, { id, accountID, limit, before });
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
