import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { z } from 'zod';
import type { Account } from '../registry';
import { BASE, Endpoint } from '../http/endpoint';
import { page, type Page } from '../http/fields';
import { resourceID } from '../http/id.pipe';
import { SchemaPipe } from '../http/schema.pipe';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { accountAnswer, accountChange, accountInput, accountList } from './account.schema';
import type { AccountAnswer, AccountChange, AccountInput } from './account.schema';
import { Accounts } from './accounts';

const tag = 'Accounts';

@Controller(BASE)
export class AccountController {
  constructor(private readonly accounts: Accounts) {}

  @Post('companies/:id/accounts')
  @Endpoint({
    tag,
    summary: 'Add an account to a company',
    who: 'operator',
    params: ['id'],
    body: accountInput,
    answer: accountAnswer,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async add(
    @Param('id', resourceID) companyID: string,
    @Body(new SchemaPipe(accountInput)) input: AccountInput,
  ): Promise<AccountAnswer> {
    return toAnswer(await this.accounts.add(companyID, input));
  }

  @Get('accounts')
  @Endpoint({
    tag,
    summary: 'List the company’s accounts, newest first',
    who: 'administrator',
    query: page,
    answer: accountList,
  })
  async list(
    @OfCompany() caller: CompanyCaller,
    @Query(new SchemaPipe(page)) query: Page,
  ): Promise<z.infer<typeof accountList>> {
    return { accounts: (await this.accounts.list(caller, query)).map(toAnswer) };
  }

  @Patch('accounts/:id')
  @Endpoint({
    tag,
    summary: 'Block an account of the company, or let it in again',
    who: 'administrator',
    params: ['id'],
    body: accountChange,
    answer: accountAnswer,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async block(
    @OfCompany() caller: CompanyCaller,
    @Param('id', resourceID) id: string,
    @Body(new SchemaPipe(accountChange)) { blocked }: AccountChange,
  ): Promise<AccountAnswer> {
    return toAnswer(await this.accounts.block(caller, id, blocked));
  }
}

function toAnswer({ id, email, name, role, blocked, createdAt }: Account): AccountAnswer {
  return { id, email, name, role, blocked, createdAt: createdAt.toISOString() };
}
