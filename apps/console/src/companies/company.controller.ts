import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { z } from 'zod';
import { BASE, Endpoint } from '../http/endpoint';
import { page, type Page } from '../http/fields';
import { resourceID } from '../http/id.pipe';
import { SchemaPipe } from '../http/schema.pipe';
import { Companies, type CompanyWithCredits } from './companies';
import { companyAnswer, companyChange, companyInput, companyList } from './company.schema';
import type { CompanyAnswer, CompanyChange, CompanyInput } from './company.schema';

const tag = 'Companies';
const who = 'operator';

@Controller(`${BASE}/companies`)
export class CompanyController {
  constructor(private readonly companies: Companies) {}

  @Post()
  @Endpoint({ tag, summary: 'Add a company', who, body: companyInput, answer: companyAnswer, status: 201 })
  async add(@Body(new SchemaPipe(companyInput)) input: CompanyInput): Promise<CompanyAnswer> {
    return toAnswer(await this.companies.add(input));
  }

  @Get()
  @Endpoint({
    tag,
    summary: 'List the companies and their credits, newest first',
    who,
    query: page,
    answer: companyList,
  })
  async list(@Query(new SchemaPipe(page)) query: Page): Promise<z.infer<typeof companyList>> {
    return { companies: (await this.companies.list(query)).map(toAnswer) };
  }

  @Patch(':id')
  @Endpoint({
    tag,
    summary: 'Change a company’s plan, suspend it or set its credits',
    description: 'A suspended company’s accounts can neither log in nor call anything.',
    who,
    params: ['id'],
    body: companyChange,
    answer: companyAnswer,
    errors: ['NOT_FOUND'],
  })
  async change(
    @Param('id', resourceID) id: string,
    @Body(new SchemaPipe(companyChange)) change: CompanyChange,
  ): Promise<CompanyAnswer> {
    return toAnswer(await this.companies.change(id, change));
  }
}

function toAnswer(company: CompanyWithCredits): CompanyAnswer {
  return { ...company, createdAt: company.createdAt.toISOString() };
}
