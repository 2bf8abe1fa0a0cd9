import { Body, Controller, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { BASE, Endpoint, PROCESS_ERRORS } from '../sessions/endpoint';
import { requireObject } from '../http/body.pipes';
import { LimitQuery } from '../http/page.dto';
import { ProcessPath } from '../http/path.dto';
import { ProcessAccessService } from '../access/process-access.service';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { FlowService } from './flow.service';
import { FLOW_BODY, FlowAnswer, FlowProblems, PublishedFlow, VersionList } from './flow.dto';

const audience = 'company';

@ApiTags('Flow')
@Controller(`${BASE}/processes/:pid`)
export class FlowController {
  constructor(
    private readonly flows: FlowService,
    private readonly access: ProcessAccessService,
  ) {}

  @Get('flow')
  @Endpoint({
    summary: 'The development version of the flow and what is wrong with it',
    description: 'Needs the permission `edit`.',
    audience,
    answer: FlowAnswer,
    errors: PROCESS_ERRORS,
  })
  async read(@OfCompany() { accountID }: CompanyCaller, @Param() { pid }: ProcessPath): Promise<FlowAnswer> {
    await this.access.require(accountID, pid, 'edit');
    return this.flows.read(pid);
  }

  @Put('flow')
  @ApiBody(FLOW_BODY)
  @Endpoint({
    summary: 'Save the development version of the flow',
    description:
      'It is stored even with problems; they only keep it from being published. Needs the permission `edit`.',
    audience,
    answer: FlowProblems,
    errors: PROCESS_ERRORS,
  })
  async save(
    @OfCompany() { accountID }: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Body(requireObject) flow: object,
  ): Promise<FlowProblems> {
    await this.access.require(accountID, pid, 'edit');
    return { problems: await this.flows.save(pid, flow) };
  }

  @Post('publish')
  @Endpoint({
    summary: 'Publish the saved flow as the next version',
    description:
      'Refused while it has problems; the message names the first ones. Published with `warnings` where the connected agents ' +
      'of an environment cannot run it. Needs the permission `edit`.',
    audience,
    answer: PublishedFlow,
    status: 201,
    errors: [...PROCESS_ERRORS, 'BAD_REQUEST', 'QUOTA_EXCEEDED'],
  })
  async publish(@OfCompany() { accountID }: CompanyCaller, @Param() { pid }: ProcessPath): Promise<PublishedFlow> {
    await this.access.require(accountID, pid, 'edit');
    return this.flows.publish(pid, accountID);
  }

  @Get('versions')
  @Endpoint({
    summary: 'The published versions, newest first',
    description: 'A share is enough to read.',
    audience,
    answer: VersionList,
    errors: PROCESS_ERRORS,
  })
  async versions(
    @OfCompany() { accountID }: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Query() { limit }: LimitQuery,
  ): Promise<VersionList> {
    await this.access.requireReadable(accountID, pid);
    const versions = await this.flows.versions(pid, limit);
    return { versions: versions.map((version) => ({ ...version, publishedAt: version.publishedAt.toISOString() })) };
  }
}
