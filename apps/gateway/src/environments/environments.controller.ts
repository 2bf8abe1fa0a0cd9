import type { Caller } from '@batuta/auth';
import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { CallerGuard } from '../access/caller.guard';
import { CallerOf } from '../http/request';
import { EnvironmentsRepository } from './environments.repository';

/** Spec 4.3. */
@Controller('v1/environments')
@UseGuards(CallerGuard)
export class EnvironmentsController {
  constructor(@Inject(EnvironmentsRepository) private readonly environments: EnvironmentsRepository) {}

  @Get()
  async list(@CallerOf() { accountID, companyID }: Caller) {
    return { environments: await this.environments.reachable(accountID, companyID) };
  }
}
