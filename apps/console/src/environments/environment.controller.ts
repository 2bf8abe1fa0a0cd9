import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { Done } from '../http/response-fields';
import { requireChange } from '../http/body-pipes';
import { LimitQuery, PageQuery } from '../http/page.dto';
import { EnvironmentPath } from '../http/path.dto';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { EnvironmentService, type EnvironmentStatus } from './environment.service';
import {
  ActivationKeyAnswer,
  AgentList,
  EnvironmentAnswer,
  EnvironmentChange,
  EnvironmentInput,
  EnvironmentList,
} from './environment.dto';

const audience = 'company';

@ApiTags('Environments')
@Controller(`${BASE_PATH}/environments`)
export class EnvironmentController {
  constructor(private readonly environments: EnvironmentService) {}

  @Post()
  @Endpoint({
    summary: 'Add an environment',
    description: 'The activation key, with which its agents connect, is shown this once.',
    audience,
    answer: ActivationKeyAnswer,
    status: 201,
    errors: ['QUOTA_EXCEEDED'],
  })
  add(@CompanyCallerOf() caller: CompanyCaller, @Body() input: EnvironmentInput): Promise<ActivationKeyAnswer> {
    return this.environments.add(caller, input);
  }

  @Get()
  @Endpoint({
    summary: 'List one’s own environments and those the company shares, newest first',
    audience,
    answer: EnvironmentList,
  })
  async list(@CompanyCallerOf() caller: CompanyCaller, @Query() query: PageQuery): Promise<EnvironmentList> {
    const environments = await this.environments.list(caller, query);
    return { environments: environments.map((environment) => toAnswer(environment, caller)) };
  }

  @Get(':id/agents')
  @Endpoint({
    summary: 'The agents of an environment that are connected now, with their abilities, newest connection first',
    description: 'For everybody who sees the environment.',
    audience,
    answer: AgentList,
    errors: ['NOT_FOUND'],
  })
  async agents(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { id }: EnvironmentPath,
    @Query() { limit }: LimitQuery,
  ): Promise<AgentList> {
    const agents = await this.environments.agents(caller, id, limit);
    return { agents: agents.map((agent) => ({ ...agent, connectedAt: agent.connectedAt.toISOString() })) };
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change an environment',
    description: 'The owner changes everything but `shared`, an administrator `shared`.',
    audience,
    answer: EnvironmentAnswer,
    errors: ['NOT_FOUND'],
  })
  async change(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { id }: EnvironmentPath,
    @Body(requireChange) change: EnvironmentChange,
  ): Promise<EnvironmentAnswer> {
    return toAnswer(await this.environments.change(caller, id, change), caller);
  }

  @Post(':id/rotate-key')
  @Endpoint({
    summary: 'Replace the activation key',
    description: 'The old key stops working at once. The new one is shown this once.',
    audience,
    answer: ActivationKeyAnswer,
    status: 201,
    errors: ['NOT_FOUND'],
  })
  rotateKey(@CompanyCallerOf() caller: CompanyCaller, @Param() { id }: EnvironmentPath): Promise<ActivationKeyAnswer> {
    return this.environments.rotateKey(caller, id);
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Delete an environment',
    description: 'Refused while it has queued or running instances.',
    audience,
    answer: Done,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async remove(@CompanyCallerOf() caller: CompanyCaller, @Param() { id }: EnvironmentPath): Promise<Done> {
    await this.environments.remove(caller, id);
    return { ok: true };
  }
}

function toAnswer(environment: EnvironmentStatus, { accountID }: CompanyCaller): EnvironmentAnswer {
  const { id, name, description, online, offlineFlow, cancelQueueOnException, capacity, envType, os, shared } =
    environment;
  const owned = environment.accountID === accountID;
  return {
    environmentID: id,
    name,
    description,
    online,
    offlineFlow,
    cancelQueueOnException,
    capacity,
    envType,
    os,
    shared,
    owned,
  };
}
