import { Body, Controller, Get, Param, Post, Put, Query } from '@nestjs/common';
import type { z } from 'zod';
import { BASE, Endpoint } from '../http/endpoint';
import { limited } from '../http/fields';
import { processID } from '../http/id.pipe';
import { SchemaPipe } from '../http/schema.pipe';
import { ProcessAccess } from '../processes/process-access';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { flowAnswer, flowInput, problemsAnswer, published, versionList, type FlowInput } from './flow.schema';
import { Flows } from './flows';

const tag = 'Flow';
const who = 'company';
const params = ['pid'];
const NO_PROCESS = ['INVALID_PROCESS_ID', 'PROCESS_NOT_FOUND'] as const;

@Controller(`${BASE}/processes/:pid`)
export class FlowController {
  constructor(
    private readonly flows: Flows,
    private readonly access: ProcessAccess,
  ) {}

  @Get('flow')
  @Endpoint({
    tag,
    summary: 'The development version of the flow and what is wrong with it',
    description: 'Needs the permission `edit`.',
    who,
    params,
    answer: flowAnswer,
    errors: [...NO_PROCESS],
  })
  async read(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
  ): Promise<z.infer<typeof flowAnswer>> {
    await this.access.require(accountID, pid, 'edit');
    return this.flows.read(pid);
  }

  @Put('flow')
  @Endpoint({
    tag,
    summary: 'Save the development version of the flow',
    description:
      'It is stored even with problems; they only keep it from being published. Needs the permission `edit`.',
    who,
    params,
    body: flowInput,
    answer: problemsAnswer,
    errors: [...NO_PROCESS],
  })
  async save(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
    @Body(new SchemaPipe(flowInput)) flow: FlowInput,
  ): Promise<z.infer<typeof problemsAnswer>> {
    await this.access.require(accountID, pid, 'edit');
    return { problems: await this.flows.save(pid, flow) };
  }

  @Post('publish')
  @Endpoint({
    tag,
    summary: 'Publish the saved flow as the next version',
    description: 'Refused while it has problems; the message tells the first ones. Needs the permission `edit`.',
    who,
    params,
    answer: published,
    status: 201,
    errors: [...NO_PROCESS, 'BAD_REQUEST'],
  })
  async publish(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
  ): Promise<z.infer<typeof published>> {
    await this.access.require(accountID, pid, 'edit');
    return { version: await this.flows.publish(pid, accountID) };
  }

  @Get('versions')
  @Endpoint({
    tag,
    summary: 'The published versions, newest first',
    description: 'A share is enough to read.',
    who,
    params,
    query: limited,
    answer: versionList,
    errors: [...NO_PROCESS],
  })
  async versions(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
    @Query(new SchemaPipe(limited)) { limit }: z.output<typeof limited>,
  ): Promise<z.infer<typeof versionList>> {
    await this.access.reach(accountID, pid);
    const versions = await this.flows.versions(pid, limit);
    return { versions: versions.map((version) => ({ ...version, publishedAt: version.publishedAt.toISOString() })) };
  }
}
