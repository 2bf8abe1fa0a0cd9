import type { Caller } from '@batuta/auth';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { CallerGuard } from '../access/caller.guard';
import { CallerOf } from '../http/request';
import { Endpoint } from '../openapi/endpoint';
import { PONG, pong, WHO_AM_I, whoAmI, type WhoAmI } from './account.schema';

const tag = 'Account';

/** Contract 4.1 and 4.2. */
@Controller('v1')
export class AccountController {
  @Get('ping')
  @Endpoint({
    tag,
    summary: 'Is the API there?',
    access: 'anyone',
    answers: [{ status: 200, description: 'It is.', schema: pong, example: PONG }],
  })
  ping(): { ok: true; version: string } {
    return { ok: true, version: '1' };
  }

  @Get('me')
  @UseGuards(CallerGuard)
  @Endpoint({
    tag,
    summary: 'Who am I?',
    access: 'account',
    answers: [
      { status: 200, description: 'The account of the credential that was sent.', schema: whoAmI, example: WHO_AM_I },
    ],
  })
  me(@CallerOf() { email, name, credentialID, label }: Caller): WhoAmI {
    return { account: { email, name, credId: credentialID, credLabel: label } };
  }
}
