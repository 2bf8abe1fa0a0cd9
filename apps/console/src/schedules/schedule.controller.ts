import { schedule, type Firing, type Schedule, type UpcomingTime } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { BASE, Endpoint } from '../http/endpoint';
import { processID, scheduleID } from '../http/id.pipe';
import { SchemaPipe } from '../http/schema.pipe';
import { ProcessAccess } from '../processes/process-access';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { firingList, firingsQuery, previewAnswer, previewInput, scheduleList } from './schedule.schema';
import type { FiringsQuery, PreviewInput } from './schedule.schema';

const tag = 'Schedules';
const who = 'company';

/** What the schedule service tells of schedules; they are made over the external API. */
@Controller(BASE)
export class ScheduleController {
  constructor(
    private readonly rpc: Rpc,
    private readonly access: ProcessAccess,
  ) {}

  @Get('processes/:pid/schedules')
  @Endpoint({
    tag,
    summary: 'The schedules of a process, oldest first',
    description: 'Needs the permission `schedule`.',
    who,
    params: ['pid'],
    answer: scheduleList,
    errors: ['INVALID_PROCESS_ID', 'PROCESS_NOT_FOUND'],
  })
  async list(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
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
    tag,
    summary: 'What became of each time of a schedule, newest first',
    description: 'For who created it, for the owner of its process, and for shares with the permission `schedule`.',
    who,
    params: ['id'],
    query: firingsQuery,
    answer: firingList,
    errors: ['SCHEDULE_NOT_FOUND'],
  })
  firings(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('id', scheduleID) id: string,
    @Query(new SchemaPipe(firingsQuery)) query: FiringsQuery,
  ): Promise<{ firings: Firing[] }> {
    return this.rpc.call(schedule.firings, { id, accountID, ...query });
  }

  @Post('schedules/preview')
  @Endpoint({
    tag,
    summary: 'The next ten times of a cron expression',
    who,
    body: previewInput,
    answer: previewAnswer,
    errors: ['INVALID_CRON'],
  })
  preview(@Body(new SchemaPipe(previewInput)) input: PreviewInput): Promise<{ times: UpcomingTime[] }> {
    return this.rpc.call(schedule.preview, input);
  }
}
