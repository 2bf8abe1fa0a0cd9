import { ApiError } from '@batuta/errors';
import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { isLoopback } from '../http/loopback';
import { cookieOptions, SESSION_COOKIE } from './cookie';
import { BASE_PATH, Endpoint } from './endpoint';
import { LoginService } from './login.service';
import { DemoAccount, SessionAnswer } from './session.dto';

const AUDIENCE = 'anyone';

/**
 * The login with one click of `npm start`; without the setting DEMO_ACCOUNT_EMAIL it is off. The OpenAPI document does
 * not contain it.
 */
@ApiExcludeController()
@Controller(`${BASE_PATH}/session/demo`)
export class DemoController {
  constructor(
    private readonly logins: LoginService,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  @Get()
  @Endpoint({ summary: 'The demo account of a console on this machine', audience: AUDIENCE, answer: DemoAccount })
  read(@Req() request: Request): DemoAccount {
    return { email: this.accountFor(request) };
  }

  @Post()
  @Endpoint({
    summary: 'Log in as the demo account of a console on this machine',
    description: 'Only where `GET` answers an account, and from a page of the console itself.',
    audience: AUDIENCE,
    answer: SessionAnswer,
    status: 201,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'INVALID_CREDENTIAL', 'OWNER_INACTIVE'],
  })
  async logIn(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<SessionAnswer> {
    const email = this.accountFor(request);
    if (email === null) throw new ApiError('NOT_FOUND', 'This console has no demo account.');
    // A page of another site cannot send this content type.
    if (!/^application\/json\b/i.test(request.get('content-type') ?? ''))
      throw new ApiError('FORBIDDEN', 'Content-Type: must be application/json');
    const { token, expiresAt, oneTime } = await this.logins.logInWithoutPassword(email);
    response.cookie(SESSION_COOKIE, token, { ...cookieOptions(request), expires: expiresAt });
    return { token, expiresAt: expiresAt.toISOString(), mustChangePassword: oneTime };
  }

  /** The DNS name of another site may resolve to this machine, so the Host of the call must be a loopback name. */
  private accountFor({ hostname }: Request): string | null {
    return isLoopback(hostname) ? this.config.DEMO_ACCOUNT_EMAIL || null : null;
  }
}
