import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { z } from 'zod';
import { BASE, Endpoint } from '../http/endpoint';
import { done, page, type Page } from '../http/fields';
import { resourceID } from '../http/id.pipe';
import { SchemaPipe } from '../http/schema.pipe';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import {
  activation,
  environmentAnswer,
  environmentChange,
  environmentInput,
  environmentList,
} from './environment.schema';
import type { EnvironmentAnswer, EnvironmentChange, EnvironmentInput } from './environment.schema';
import { Environments, type Activation, type SeenEnvironment } from './environments';

const tag = 'Environments';
const who = 'company';
const params = ['id'];

@Controller(`${BASE}/environments`)
export class EnvironmentController {
  constructor(private readonly environments: Environments) {}

  @Post()
  @Endpoint({
    tag,
    summary: 'Add an environment',
    description: 'The activation key, with which its agents connect, is shown this once.',
    who,
    body: environmentInput,
    answer: activation,
    status: 201,
  })
  add(
    @OfCompany() caller: CompanyCaller,
    @Body(new SchemaPipe(environmentInput)) input: EnvironmentInput,
  ): Promise<Activation> {
    return this.environments.add(caller, input);
  }

  @Get()
  @Endpoint({
    tag,
    summary: 'List one’s own environments and those the company shares, newest first',
    who,
    query: page,
    answer: environmentList,
  })
  async list(
    @OfCompany() caller: CompanyCaller,
    @Query(new SchemaPipe(page)) query: Page,
  ): Promise<z.infer<typeof environmentList>> {
    const environments = await this.environments.list(caller, query);
    return { environments: environments.map((environment) => toAnswer(environment, caller)) };
  }

  @Patch(':id')
  @Endpoint({
    tag,
    summary: 'Change an environment',
    description: 'The owner changes everything but `shared`, an administrator `shared`.',
    who,
    params,
    body: environmentChange,
    answer: environmentAnswer,
    errors: ['NOT_FOUND'],
  })
  async change(
    @OfCompany() caller: CompanyCaller,
    @Param('id', resourceID) id: string,
    @Body(new SchemaPipe(environmentChange)) change: EnvironmentChange,
  ): Promise<EnvironmentAnswer> {
    return toAnswer(await this.environments.change(caller, id, change), caller);
  }

  @Post(':id/rotate-key')
  @Endpoint({
    tag,
    summary: 'Replace the activation key',
    description: 'The old key stops working at once. The new one is shown this once.',
    who,
    params,
    answer: activation,
    status: 201,
    errors: ['NOT_FOUND'],
  })
  rotateKey(@OfCompany() caller: CompanyCaller, @Param('id', resourceID) id: string): Promise<Activation> {
    return this.environments.rotateKey(caller, id);
  }

  @Delete(':id')
  @Endpoint({
    tag,
    summary: 'Delete an environment',
    description: 'Refused while it has queued or running instances.',
    who,
    params,
    answer: done,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async remove(@OfCompany() caller: CompanyCaller, @Param('id', resourceID) id: string): Promise<z.infer<typeof done>> {
    await this.environments.remove(caller, id);
    return { ok: true };
  }
}

function toAnswer(environment: SeenEnvironment, { accountID }: CompanyCaller): EnvironmentAnswer {
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
