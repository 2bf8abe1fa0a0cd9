import { Body, Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { BASE, Endpoint } from '../http/endpoint';
import { done } from '../http/fields';
import { SchemaPipe } from '../http/schema.pipe';
import { LoggedIn, type Caller } from './caller';
import { cookieOptions, SESSION_COOKIE } from './cookie';
import { Logins } from './logins';
import { loginInput, meAnswer, sessionAnswer, type LoginInput } from './session.schema';

const tag = 'Session';

@Controller(BASE)
export class SessionController {
  constructor(private readonly logins: Logins) {}

  @Post('session')
  @Endpoint({
    tag,
    summary: 'Log in',
    description: 'The token is for `Authorization: Bearer`; browsers get it as an HttpOnly cookie as well.',
    who: 'anyone',
    body: loginInput,
    answer: sessionAnswer,
    status: 201,
    errors: ['INVALID_CREDENTIAL', 'OWNER_INACTIVE', 'RATE_LIMITED'],
  })
  async logIn(
    @Body(new SchemaPipe(loginInput)) { email, password }: LoginInput,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<z.infer<typeof sessionAnswer>> {
    const { token, expiresAt } = await this.logins.logIn(email, password, request.ip);
    response.cookie(SESSION_COOKIE, token, { ...cookieOptions(request), expires: expiresAt });
    return { token, expiresAt: expiresAt.toISOString() };
  }

  @Delete('session')
  @Endpoint({ tag, summary: 'Log out', who: 'account', answer: done })
  async logOut(
    @LoggedIn() { tokenHash }: Caller,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<z.infer<typeof done>> {
    await this.logins.logOut(tokenHash);
    response.clearCookie(SESSION_COOKIE, cookieOptions(request));
    return { ok: true };
  }

  @Get('me')
  @Endpoint({ tag, summary: 'Who is logged in', who: 'account', answer: meAnswer })
  me(@LoggedIn() { accountID, email, name, role, companyID, companyName }: Caller): z.infer<typeof meAnswer> {
    const company = companyID === null ? null : { id: companyID, name: companyName ?? '' };
    return { accountID, email, name, role, company };
  }
}
