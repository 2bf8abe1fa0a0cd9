import { schedule, type Firing, type Schedule, type UpcomingTime } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BASE, Endpoint, PROCESS_ERRORS } from '../http/endpoint';
import { ProcessPath, SchedulePath } from '../http/path.dto';
import { ProcessAccessService } from '../access/process-access.service';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { CronInput, FiringList, FiringsQuery, ScheduleList, UpcomingTimes } from './schedule.dto';

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
    description: 'Needs the permission `schedule`.',
    audience,
    answer: ScheduleList,
    errors: PROCESS_ERRORS,
  })
  async list(
    @OfCompany() { accountID }: CompanyCaller,
    @Param() { pid }: ProcessPath,
  ): Promise<{ schedules: Schedule[] }> {
    await this.access.require(accountID, pid, 'schedule');
    const schedules: Schedule[] = [];
    for (let after: string | undefined; ; after = schedules.at(-1)?.id) {
      const page = await this.rpc.call(schedule.ofProcess, { processID: pid, after });
      schedules.push(...page.schedules);
      if (!page.more || page.schedules.length === 0) return { schedules };
    }
  }

  @Get('schedules/:id/firings')
  @Endpoint({
    summary: 'What became of each time of a schedule, newest first',
    description: 'For who created it, for the owner of its process, and for shares with the permission `schedule`.',
    audience,
    answer: FiringList,
    errors: ['SCHEDULE_NOT_FOUND'],
  })
  firings(
    @OfCompany() { accountID }: CompanyCaller,
    @Param() { id }: SchedulePath,
    @Query() { limit, before }: FiringsQuery,
  ): Promise<{ firings: Firing[] }> {
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
