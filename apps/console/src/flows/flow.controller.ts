import { Body, Controller, Get, Headers, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { BASE_PATH, Endpoint, IF_MATCH_HEADER, PROCESS_ERRORS } from '../sessions/endpoint';
import { requireObject } from '../http/body-pipes';
import { ProcessPath } from '../http/path.dto';
import { ProcessAccessService } from '../access/process-access.service';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { FlowService } from './flow.service';
import {
  FLOW_BODY,
  FlowAnswer,
  FlowProblems,
  PublishedFlow,
  VersionList,
  VersionPath,
  VersionsQuery,
  VersionWithFlow,
} from './flow.dto';

const audience = 'company';

@ApiTags('Flow')
@Controller(`${BASE_PATH}/processes/:pid`)
export class FlowController {
  constructor(
    private readonly flows: FlowService,
    private readonly access: ProcessAccessService,
  ) {}

  @Get('flow')
  @Endpoint({
    summary: 'The development version of the flow and what is wrong with it',
    description:
      'The `ETag` covers the stored flow, for `If-Match` of `PUT`, and its problems, warnings and fields. Needs the permission `edit`.',
    audience,
    answer: FlowAnswer,
    tagged: true,
    errors: PROCESS_ERRORS,
  })
  async read(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FlowAnswer> {
    await this.access.require(accountID, pid, 'edit');
    const { tag, ...answer } = await this.flows.read(pid);
    response.setHeader('ETag', tag);
    return answer;
  }

  @Put('flow')
  @ApiBody(FLOW_BODY)
  @Endpoint({
    summary: 'Save the development version of the flow',
    description:
      'It is stored even with problems; they only keep it from being published. Needs the permission `edit`.',
    audience,
    answer: FlowProblems,
    tagged: true,
    errors: [...PROCESS_ERRORS, 'PRECONDITION_FAILED'],
  })
  @ApiHeader(IF_MATCH_HEADER)
  async save(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Body(requireObject) flow: object,
    @Headers('If-Match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FlowProblems> {
    await this.access.require(caller.accountID, pid, 'edit');
    const { tag, ...answer } = await this.flows.save(caller, pid, flow, ifMatch);
    response.setHeader('ETag', tag);
    return answer;
  }

  @Post('flow/check')
  @ApiBody(FLOW_BODY)
  @Endpoint({
    summary: 'What is wrong with a flow that is not saved',
    description: 'Stores nothing; an editor asks it while somebody types. Needs the permission `edit`.',
    audience,
    answer: FlowProblems,
    errors: PROCESS_ERRORS,
  })
  async check(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Body(requireObject) flow: object,
  ): Promise<FlowProblems> {
    await this.access.require(accountID, pid, 'edit');
    return this.flows.check(pid, flow);
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
    errors: [...PROCESS_ERRORS, 'MAPPING_UNSAVED', 'QUOTA_EXCEEDED'],
  })
  async publish(@CompanyCallerOf() caller: CompanyCaller, @Param() { pid }: ProcessPath): Promise<PublishedFlow> {
    const { process } = await this.access.require(caller.accountID, pid, 'edit');
    return this.flows.publish(process, caller);
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
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Query() query: VersionsQuery,
  ): Promise<VersionList> {
    await this.access.requireReadable(caller.accountID, pid);
    const versions = await this.flows.versions(caller, pid, query);
    return { versions: versions.map((version) => ({ ...version, publishedAt: version.publishedAt.toISOString() })) };
  }

  @Get('versions/:version')
  @Endpoint({
    summary: 'A published version with its flow',
    description:
      'To publish an old flow again, save it as the development version and publish that. Needs the permission `edit`.',
    audience,
    answer: VersionWithFlow,
    errors: [...PROCESS_ERRORS, 'BAD_REQUEST', 'NOT_FOUND'],
  })
  async version(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid, version }: VersionPath,
  ): Promise<VersionWithFlow> {
    await this.access.require(caller.accountID, pid, 'edit');
    const found = await this.flows.version(caller, pid, version);
    return { ...found, publishedAt: found.publishedAt.toISOString() };
  }
}
