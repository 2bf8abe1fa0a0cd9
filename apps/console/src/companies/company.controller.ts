import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { requireChange } from '../http/body-pipes';
import { PageQuery } from '../http/page.dto';
import { CompanyPath } from '../http/path.dto';
import { CallerOf, type SessionCaller } from '../sessions/caller';
import { CompanyService, type CompanyWithCredits } from './company.service';
import {
  CompanyAnswer,
  CompanyChange,
  CompanyInput,
  CompanyList,
  CreditBalance,
  CreditCorrectionInput,
} from './company.dto';

const audience = 'operator';

@ApiTags('Companies')
@Controller(`${BASE_PATH}/companies`)
export class CompanyController {
  constructor(private readonly companies: CompanyService) {}

  @Post()
  @Endpoint({ summary: 'Add a company', audience, answer: CompanyAnswer, status: 201 })
  async add(@CallerOf() caller: SessionCaller, @Body() input: CompanyInput): Promise<CompanyAnswer> {
    return toAnswer(await this.companies.add(caller, input));
  }

  @Get()
  @Endpoint({
    summary: 'List the companies and their credits, newest first',
    audience,
    answer: CompanyList,
  })
  async list(@Query() query: PageQuery): Promise<CompanyList> {
    return { companies: (await this.companies.list(query)).map(toAnswer) };
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change a company’s plan, suspend it or set its credits',
    description: 'A suspended company’s accounts can neither log in nor call anything.',
    audience,
    answer: CompanyAnswer,
    errors: ['NOT_FOUND'],
  })
  async change(
    @CallerOf() caller: SessionCaller,
    @Param() { id }: CompanyPath,
    @Body(requireChange) change: CompanyChange,
  ): Promise<CompanyAnswer> {
    return toAnswer(await this.companies.change(caller, id, change));
  }

  @Post(':id/credits')
  @Endpoint({
    summary: 'Set or add credits of a company, with a reason',
    description:
      'The difference is booked in the ledger with the reason. A call repeated with the same `id` has no effect.',
    audience,
    answer: CreditBalance,
    errors: ['NOT_FOUND', 'BAD_REQUEST', 'CONFLICT'],
  })
  async correctCredits(
    @CallerOf() operator: SessionCaller,
    @Param() { id }: CompanyPath,
    @Body() correction: CreditCorrectionInput,
  ): Promise<CreditBalance> {
    return { credits: await this.companies.correctCredits(operator, id, correction) };
  }
}

function toAnswer(company: CompanyWithCredits): CompanyAnswer {
  return { ...company, createdAt: company.createdAt.toISOString() };
}
