import { Body, Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { BASE, Endpoint } from '../http/endpoint';
import { Done } from '../http/answers';
import { LoggedIn, type SessionCaller } from './caller';
import { cookieOptions, SESSION_COOKIE } from './cookie';
import { LoginService } from './login.service';
import { LoginInput, OwnAccount, SessionAnswer } from './session.dto';

@ApiTags('Session')
@Controller(BASE)
export class SessionController {
  constructor(private readonly logins: LoginService) {}

  @Post('session')
  @Endpoint({
    summary: 'Log in',
    description: 'The token is for `Authorization: Bearer`; browsers get it as an HttpOnly cookie as well.',
    audience: 'anyone',
    answer: SessionAnswer,
    status: 201,
    errors: ['INVALID_CREDENTIAL', 'OWNER_INACTIVE', 'RATE_LIMITED'],
  })
  async logIn(
    @Body() { email, password }: LoginInput,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionAnswer> {
    const { token, expiresAt } = await this.logins.logIn(email, password, request.ip);
    response.cookie(SESSION_COOKIE, token, { ...cookieOptions(request), expires: expiresAt });
    return { token, expiresAt: expiresAt.toISOString() };
  }

  @Delete('session')
  @Endpoint({ summary: 'Log out', audience: 'account', answer: Done })
  async logOut(
    @LoggedIn() { tokenHash }: SessionCaller,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Done> {
    await this.logins.logOut(tokenHash);
    response.clearCookie(SESSION_COOKIE, cookieOptions(request));
    return { ok: true };
  }

  @Get('me')
  @Endpoint({ summary: 'Who is logged in', audience: 'account', answer: OwnAccount })
  me(@LoggedIn() { accountID, email, name, role, companyID, companyName }: SessionCaller): OwnAccount {
    const company = companyID === null ? null : { id: companyID, name: companyName ?? '' };
    return { accountID, email, name, role, company };
  }
}
