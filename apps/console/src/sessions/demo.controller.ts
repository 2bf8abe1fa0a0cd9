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
 * The login with one click on the machine of `npm start`; without the setting DEMO_ACCOUNT_EMAIL nobody can use it. It is no part of
 * the API that OpenAPI describes.
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
    if (email === null) throw new ApiError('NOT_FOUND');
    // No page of another site can send this type.
    if (!/^application\/json\b/i.test(request.get('content-type') ?? ''))
      throw new ApiError('FORBIDDEN', 'Content-Type: must be application/json');
    const { token, expiresAt, oneTime } = await this.logins.logInWithoutPassword(email);
    response.cookie(SESSION_COOKIE, token, { ...cookieOptions(request), expires: expiresAt });
    return { token, expiresAt: expiresAt.toISOString(), mustChangePassword: oneTime };
  }

  /** A name of another site may lead to this machine, so the called name must be one of this machine itself. */
  private accountFor({ hostname }: Request): string | null {
    return isLoopback(hostname) ? this.config.DEMO_ACCOUNT_EMAIL || null : null;
  }
}
