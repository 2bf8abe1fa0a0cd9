import type { AuthenticatedCaller } from '@batuta/auth';
import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Authorize } from '../authorization/authorize';
import { CallerOf } from '../http/request';
import { EnvironmentListDto, ENVIRONMENTS_EXAMPLE } from './environment.dto';
import { EnvironmentRepository } from './environment.repository';

/** The route of contract 4.3: the environments that the caller can use. */
@ApiTags('Environments')
@Controller('v1/environments')
export class EnvironmentsController {
  constructor(private readonly environments: EnvironmentRepository) {}

  @Get()
  @Authorize()
  @ApiOperation({ summary: 'List the environments' })
  @ApiResponse({
    status: 200,
    description: "The caller's own environments, and those that the company shares.",
    type: EnvironmentListDto,
    example: ENVIRONMENTS_EXAMPLE,
  })
  async list(@CallerOf() { accountID, companyID }: AuthenticatedCaller): Promise<EnvironmentListDto> {
    return { environments: await this.environments.findReachable(accountID, companyID) };
  }
}
