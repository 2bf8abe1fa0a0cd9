import { Body, Controller, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Account } from '../registry';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { LimitQuery, PageQuery } from '../http/page.dto';
import { AccountPath, CompanyPath } from '../http/path.dto';
import { CallerOf, CompanyCallerOf, type CompanyCaller, type SessionCaller } from '../sessions/caller';
import { AccountService } from './account.service';
import { PasswordService } from '../sessions/password.service';
import {
  AccountAnswer,
  AccountChange,
  AccountEventList,
  AccountInput,
  AccountList,
  EmailChange,
  EmailProblemList,
  OneTimePassword,
} from './account.dto';

@ApiTags('Accounts')
@Controller(BASE_PATH)
export class AccountController {
  constructor(
    private readonly accounts: AccountService,
    private readonly passwords: PasswordService,
  ) {}

  @Post('companies/:id/accounts')
  @Endpoint({
    summary: 'Add an account to a company',
    audience: 'operator',
    answer: AccountAnswer,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED'],
  })
  async add(
    @CallerOf() caller: SessionCaller,
    @Param() { id: companyID }: CompanyPath,
    @Body() input: AccountInput,
  ): Promise<AccountAnswer> {
    return toAnswer(await this.accounts.add(caller, companyID, input));
  }

  @Get('companies/:id/accounts')
  @Endpoint({
    summary: 'List the accounts of a company, newest first',
    audience: 'operator',
    answer: AccountList,
    errors: ['NOT_FOUND'],
  })
  async listOfCompany(@Param() { id: companyID }: CompanyPath, @Query() query: PageQuery): Promise<AccountList> {
    await this.accounts.requireCompany(companyID);
    return { accounts: (await this.accounts.list(companyID, query)).map(toAnswer) };
  }

  @Get('accounts')
  @Endpoint({
    summary: 'List the company’s accounts, newest first',
    audience: 'administrator',
    answer: AccountList,
  })
  async list(@CompanyCallerOf() { companyID }: CompanyCaller, @Query() query: PageQuery): Promise<AccountList> {
    return { accounts: (await this.accounts.list(companyID, query)).map(toAnswer) };
  }

  @Patch('accounts/:id')
  @Endpoint({
    summary: 'Block an account of the company, or let it in again',
    audience: 'administrator',
    answer: AccountAnswer,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async block(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { id }: AccountPath,
    @Body() { blocked }: AccountChange,
  ): Promise<AccountAnswer> {
    return toAnswer(await this.accounts.setBlocked(caller, id, blocked));
  }

  @Post('accounts/:id/password-reset')
  @Endpoint({
    summary: 'Replace the password of an account by a one-time password',
    description:
      'Ends all sessions of the account. The one-time password is shown once; a session that it opens can only change it or log out.',
    audience: 'supervisor',
    answer: OneTimePassword,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async resetPassword(@CallerOf() caller: SessionCaller, @Param() { id }: AccountPath): Promise<OneTimePassword> {
    const { password, expiresAt } = await this.passwords.reset(caller, id);
    return { password, expiresAt: expiresAt.toISOString() };
  }

  @Get('accounts/email-problems')
  @Endpoint({
    summary: 'The accounts whose e-mail address an update of Batuta could not bring into its one form, by id',
    description:
      '`taken`: another account has the address in that form. `invalid`: it is no e-mail address. Nobody can log in with it until it is changed.',
    audience: 'operator',
    answer: EmailProblemList,
  })
  async emailProblems(@Query() { limit }: LimitQuery): Promise<EmailProblemList> {
    return { problems: await this.accounts.emailProblems(limit) };
  }

  @Put('accounts/:id/email')
  @Endpoint({
    summary: 'Change the e-mail address of an account',
    audience: 'operator',
    answer: AccountAnswer,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async changeEmail(
    @CallerOf() caller: SessionCaller,
    @Param() { id }: AccountPath,
    @Body() { email }: EmailChange,
  ): Promise<AccountAnswer> {
    return toAnswer(await this.accounts.changeEmail(caller, id, email));
  }

  @Get('accounts/:id/events')
  @Endpoint({
    summary: 'What was done to an account (its password, its e-mail address), newest first',
    audience: 'supervisor',
    answer: AccountEventList,
    errors: ['NOT_FOUND'],
  })
  async events(
    @CallerOf() caller: SessionCaller,
    @Param() { id }: AccountPath,
    @Query() { limit }: LimitQuery,
  ): Promise<AccountEventList> {
    const events = await this.accounts.events(caller, id, limit);
    return { events: events.map(({ action, actorID, at }) => ({ action, actorID, at: at.toISOString() })) };
  }
}

function toAnswer({ id, email, name, role, blocked, createdAt }: Account): AccountAnswer {
  return { id, email, name, role, blocked, createdAt: createdAt.toISOString() };
}
