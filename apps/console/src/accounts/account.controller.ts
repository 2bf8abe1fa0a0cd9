import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Account } from '../registry';
import { BASE, Endpoint } from '../http/endpoint';
import { PageQuery } from '../http/page.dto';
import { ResourcePath } from '../http/path.dto';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { AccountService } from './account.service';
import { AccountAnswer, AccountChange, AccountInput, AccountList } from './account.dto';

@ApiTags('Accounts')
@Controller(BASE)
export class AccountController {
  constructor(private readonly accounts: AccountService) {}

  @Post('companies/:id/accounts')
  @Endpoint({
    summary: 'Add an account to a company',
    audience: 'operator',
    answer: AccountAnswer,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED'],
  })
  async add(@Param() { id: companyID }: ResourcePath, @Body() input: AccountInput): Promise<AccountAnswer> {
    return toAnswer(await this.accounts.add(companyID, input));
  }

  @Get('accounts')
  @Endpoint({
    summary: 'List the company’s accounts, newest first',
    audience: 'administrator',
    answer: AccountList,
  })
  async list(@OfCompany() caller: CompanyCaller, @Query() query: PageQuery): Promise<AccountList> {
    return { accounts: (await this.accounts.list(caller, query)).map(toAnswer) };
  }

  @Patch('accounts/:id')
  @Endpoint({
    summary: 'Block an account of the company, or let it in again',
    audience: 'administrator',
    answer: AccountAnswer,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async block(
    @OfCompany() caller: CompanyCaller,
    @Param() { id }: ResourcePath,
    @Body() { blocked }: AccountChange,
  ): Promise<AccountAnswer> {
    return toAnswer(await this.accounts.block(caller, id, blocked));
  }
}

function toAnswer({ id, email, name, role, blocked, createdAt }: Account): AccountAnswer {
  return { id, email, name, role, blocked, createdAt: createdAt.toISOString() };
}
