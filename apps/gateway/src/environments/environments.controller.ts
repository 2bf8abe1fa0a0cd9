import type { Caller } from '@batuta/auth';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { CallerGuard } from '../access/caller.guard';
import { CallerOf } from '../http/request';
import { Endpoint } from '../openapi/endpoint';
import { ENVIRONMENT, environmentList } from './environment.schema';
import { EnvironmentsRepository, type Environment } from './environments.repository';

/** Contract 4.3. */
@Controller('v1/environments')
@UseGuards(CallerGuard)
export class EnvironmentsController {
  constructor(private readonly environments: EnvironmentsRepository) {}

  @Get()
  @Endpoint({
    tag: 'Environments',
    summary: 'List the environments',
    access: 'account',
    answers: [
      {
        status: 200,
        description: "The caller's own environments, and those that the company shares.",
        schema: environmentList,
        example: { environments: [ENVIRONMENT] },
      },
    ],
  })
  async list(@CallerOf() { accountID, companyID }: Caller): Promise<{ environments: Environment[] }> {
    return { environments: await this.environments.reachable(accountID, companyID) };
  }
}
