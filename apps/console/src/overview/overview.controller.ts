import { execution, type RunListPage, type Statistics } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ProcessAccessService } from '../access/process-access.service';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { HomeService } from './home.service';
import { RunList, RunsQuery } from './run-list.dto';
import { HomeAnswer, StatisticsAnswer, StatisticsQuery } from './statistics.dto';

const audience = 'company';

/** The routes across the processes of an account: the list of runs, the statistics and the home page. */
@ApiTags('Runs')
@Controller(BASE_PATH)
export class OverviewController {
  constructor(
    private readonly rpc: Rpc,
    private readonly access: ProcessAccessService,
    private readonly homeService: HomeService,
  ) {}

  @Get('runs')
  @Endpoint({
    summary: 'What runs or ran of all processes, newest first',
    description:
      'Of the own processes every instance, of those that are shared with the account the instances that it started. A page ' +
      'searches 5,000 instances at most; `older` continues.',
    audience,
    answer: RunList,
    errors: ['PROCESS_NOT_FOUND'],
  })
  async runs(@CompanyCallerOf() { accountID }: CompanyCaller, @Query() query: RunsQuery): Promise<RunListPage> {
    const { process: processID, status: statuses, trigger: triggers, environment: environmentID, from, to } = query;
    if (processID !== undefined) await this.access.requireReadable(accountID, processID);
    const filter = { processID, statuses, triggers, environmentID, from, to };
    return this.rpc.call(execution.runs, { accountID, filter, limit: query.limit, before: query.before });
  }

  @Get('statistics')
  @Endpoint({
    summary: 'The ended instances of the own processes, by the hour or day of their start',
    description:
      'By outcome, with percentiles of the durations; debug runs are not counted. At most about 50,000 instances are counted: ' +
      'of a period with more, those from `since` on.',
    audience,
    answer: StatisticsAnswer,
    errors: ['PROCESS_NOT_FOUND'],
  })
  async statistics(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Query() { from, to, by, process: processID }: StatisticsQuery,
  ): Promise<Statistics> {
    if (processID !== undefined) await this.access.require(accountID, processID, 'owner');
    return this.rpc.call(execution.statistics, { accountID, from, to, by, processID });
  }

  @Get('home')
  @Endpoint({
    summary: 'What runs, what failed today, queues, agents and credits',
    audience,
    answer: HomeAnswer,
  })
  home(@CompanyCallerOf() caller: CompanyCaller): Promise<HomeAnswer> {
    return this.homeService.homeOf(caller);
  }
}
