import { Body, Controller, Delete, Get, Post, Put, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { BASE_PATH, Endpoint } from './endpoint';
import { Done } from '../http/response-fields';
import { CallerOf, type SessionCaller } from './caller';
import { cookieOptions, SESSION_COOKIE } from './cookie';
import { LoginService } from './login.service';
import { PasswordService } from './password.service';
import { LoginInput, OwnAccount, PasswordChange, SessionAnswer } from './session.dto';

@ApiTags('Session')
@Controller(BASE_PATH)
export class SessionController {
  constructor(
    private readonly logins: LoginService,
    private readonly passwords: PasswordService,
  ) {}

  @Post('session')
  @Endpoint({
    summary: 'Log in',
    description: 'The token is for `Authorization: Bearer`; browsers get it as an HttpOnly cookie as well.',
    audience: 'anyone',
    answer: SessionAnswer,
    status: 201,
    setsCookie: true,
    errors: ['INVALID_CREDENTIAL', 'CREDENTIAL_EXPIRED', 'OWNER_INACTIVE', 'RATE_LIMITED'],
  })
  async logIn(
    @Body() { email, password }: LoginInput,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionAnswer> {
    const { token, expiresAt, oneTime } = await this.logins.logIn(email, password, request.ip);
    response.cookie(SESSION_COOKIE, token, { ...cookieOptions(request), expires: expiresAt });
    return { token, expiresAt: expiresAt.toISOString(), mustChangePassword: oneTime };
  }

  @Put('session/password')
  @Endpoint({
    summary: 'Change the own password',
    description: 'Ends all other sessions of the account. A wrong current password counts like a refused login.',
    audience: 'account',
    oneTime: true,
    answer: Done,
    errors: ['CONFLICT', 'RATE_LIMITED'],
  })
  async changePassword(
    @CallerOf() caller: SessionCaller,
    @Body() change: PasswordChange,
    @Req() { ip }: Request,
  ): Promise<Done> {
    await this.passwords.change(caller, change, ip);
    return { ok: true };
  }

  @Delete('session')
  @Endpoint({ summary: 'Log out', audience: 'account', oneTime: true, answer: Done, setsCookie: true })
  async logOut(
    @CallerOf() caller: SessionCaller,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Done> {
    await this.logins.logOut(caller);
    response.clearCookie(SESSION_COOKIE, cookieOptions(request));
    return { ok: true };
  }

  @Get('me')
  @Endpoint({ summary: 'Who is logged in', audience: 'account', answer: OwnAccount })
  me(@CallerOf() { accountID, email, name, role, companyID, companyName }: SessionCaller): OwnAccount {
    const company = companyID === null ? null : { id: companyID, name: companyName ?? '' };
    return { accountID, email, name, role, company };
  }
}
