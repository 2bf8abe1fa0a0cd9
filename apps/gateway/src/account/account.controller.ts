import type { Caller } from '@batuta/auth';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { CallerGuard } from '../access/caller.guard';
import { CallerOf } from '../http/request';

/** Spec 4.1 and 4.2. */
@Controller('v1')
export class AccountController {
  @Get('ping')
  ping(): { ok: true; version: string } {
    return { ok: true, version: '1' };
  }

  @Get('me')
  @UseGuards(CallerGuard)
  me(@CallerOf() { email, name, credentialID, label }: Caller) {
    return { account: { email, name, credId: credentialID, credLabel: label } };
  }
}
