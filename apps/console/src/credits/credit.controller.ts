import { execution } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { HomeService } from '../overview/home.service';
import { CreditsLeft } from '../overview/statistics.dto';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { LedgerAnswer, LedgerQuery } from './credit.dto';

/** The credits of the caller's company, which execution keeps. */
@ApiTags('Credits')
@Controller(`${BASE_PATH}/credits`)
export class CreditController {
  constructor(
    private readonly rpc: Rpc,
    private readonly homeService: HomeService,
  ) {}

  @Get()
  @Endpoint({ summary: 'The credits that the company has left', audience: 'company', answer: CreditsLeft })
  credits(@CompanyCallerOf() caller: CompanyCaller): Promise<CreditsLeft> {
    return this.homeService.creditsOf(caller);
  }

  @Get('entries')
  @Endpoint({
    summary: 'The ledger of the company, newest first',
    audience: 'administrator',
    answer: LedgerAnswer,
  })
  entries(
    @CompanyCallerOf() { companyID }: CompanyCaller,
    @Query() { limit, before, from, to }: LedgerQuery,
  ): Promise<LedgerAnswer> {
    return this.rpc.call(execution.creditEntries, { companyID, limit, before, from, to });
  }
}
