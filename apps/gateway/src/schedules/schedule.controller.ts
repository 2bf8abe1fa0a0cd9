import type { AuthenticatedCaller, AuthorizedProcess } from '@batuta/auth';
import { schedule } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { ApiRefusals } from '@batuta/openapi';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { v7 as uuid } from 'uuid';
import { Authorize } from '../authorization/authorize';
import { IdempotentRequests } from '../common/idempotent-requests';
import { withHint } from '../common/refusal-hints';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { CallerOf, ProcessOf } from '../http/request';
import {
  CHANGE_BODY_EXAMPLES,
  CREATION_BODY_EXAMPLES,
  ScheduleBody,
  ScheduleChange,
  ScheduleParams,
  ScheduleQuery,
} from './schedule-body.dto';
import {
  CHANGED_EXAMPLE,
  CREATED_EXAMPLE,
  REMOVED_EXAMPLE,
  SCHEDULE_EXAMPLE,
  ScheduleChangedDto,
  ScheduleCreatedDto,
  ScheduleDto,
  ScheduleListDto,
  ScheduleRemovedDto,
  SCHEDULES_EXAMPLE,
} from './schedule.dto';

/**
 * The routes of schedules (contract 4.12 to 4.16). The schedule service decides whether a schedule is valid and whether
 * the caller may change it.
 */
@ApiTags('Schedules')
@Controller('v1/schedules')
export class SchedulesController {
  constructor(
    private readonly rpc: Rpc,
    private readonly requests: IdempotentRequests,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'READ_TIMEOUT_MS'>,
  ) {}

  @Get()
  @Authorize()
  @ApiOperation({
    summary: 'List schedules',
    description: `Those of own processes, and those that the account created on shared ones. An answer has at most 1,000 schedules, and at most about 1 MB;
\`newer\` says that further schedules exist: send what it holds as the query.`,
  })
  @ApiResponse({
    status: 200,
    description: 'Oldest first.',
    type: ScheduleListDto,
    example: SCHEDULES_EXAMPLE,
  })
  async list(
    @CallerOf() { accountID }: AuthenticatedCaller,
    @Query() { after }: ScheduleQuery,
  ): Promise<ScheduleListDto> {
    const { schedules, more } = await this.rpc.call(schedule.list, { accountID, after });
    const last = schedules.at(-1)?.id;
    return { schedules, ...(more && last !== undefined && { newer: { after: last } }) };
  }

  @Post()
  @HttpCode(201)
  @Authorize({ process: 'body', permission: 'schedule', audited: true })
  @ApiOperation({
    summary: 'Schedule a process',
    description:
      'On a shared process it needs the permission `schedule`. Each run is one of the owner of the process, whose plan has to include scheduling.',
  })
  @ApiBody({ type: ScheduleBody, required: true, examples: CREATION_BODY_EXAMPLES })
  @ApiResponse({ status: 201, description: 'Made.', type: ScheduleCreatedDto, example: CREATED_EXAMPLE })
  @ApiRefusals('INVALID_NAME', 'INVALID_CRON', 'INVALID_MATRIX', 'INVALID_ENVIRONMENT', 'QUOTA_EXCEEDED')
  async create(
    @CallerOf() { accountID, label, credentialID }: AuthenticatedCaller,
    @ProcessOf() { processID, key }: AuthorizedProcess,
    @Body() { name, cronExpression, matrix, environmentID, active }: ScheduleBody,
  ): Promise<ScheduleCreatedDto> {
    const draft = { name, cronExpression, matrix, environmentID, active };
    const once = { id: uuid(), deadline: this.requests.deadlineIn(this.config.READ_TIMEOUT_MS) };
    const secrets = { credentialID, processKeyID: key.keyID };
    const creation = { ...once, processID, creator: { accountID, label }, secrets, executor: key.identifier, draft };
    const reply = await withHint(this.requests.send(schedule.create, creation), { processID, environmentID });
    if (!reply) throw new ApiError('UNAVAILABLE', 'The schedule could not be made in time; try again.');
    return reply;
  }

  @Get(':id')
  @Authorize({ schedule: true })
  @ApiOperation({
    summary: 'Read a schedule',
    description: 'One of the schedules that the list has.',
  })
  @ApiResponse({ status: 200, description: 'As in the list.', type: ScheduleDto, example: SCHEDULE_EXAMPLE })
  @ApiRefusals('SCHEDULE_NOT_FOUND')
  read(@CallerOf() { accountID }: AuthenticatedCaller, @Param() { id }: ScheduleParams): Promise<ScheduleDto> {
    return this.rpc.call(schedule.read, { id, accountID });
  }

  @Patch(':id')
  @Authorize({ schedule: true, body: true, audited: true })
  @ApiOperation({
    summary: 'Switch a schedule on or off',
    description:
      'By the account that created it or owns its process. After it is switched on, the schedule continues with its next nominal time. It cannot be switched on once the account that created it may no longer schedule the process.',
  })
  @ApiBody({ type: ScheduleChange, required: true, examples: CHANGE_BODY_EXAMPLES })
  @ApiResponse({ status: 200, description: 'Done.', type: ScheduleChangedDto, example: CHANGED_EXAMPLE })
  @ApiRefusals('SCHEDULE_NOT_FOUND', 'FORBIDDEN')
  change(
    @CallerOf() { accountID, credentialID }: AuthenticatedCaller,
    @Body() { active }: ScheduleChange,
    @Param() { id }: ScheduleParams,
  ): Promise<ScheduleChangedDto> {
    return this.rpc.call(schedule.setActive, { id, accountID, credentialID, active });
  }

  @Delete(':id')
  @Authorize({ audited: true })
  @ApiOperation({
    summary: 'Remove a schedule for good',
    description:
      'By the account that created it or owns its process. The record of its firings is removed too; instances that it has started continue.',
  })
  @ApiResponse({ status: 200, description: 'Done.', type: ScheduleRemovedDto, example: REMOVED_EXAMPLE })
  @ApiRefusals('SCHEDULE_NOT_FOUND')
  remove(
    @CallerOf() { accountID, credentialID }: AuthenticatedCaller,
    @Param() { id }: ScheduleParams,
  ): Promise<ScheduleRemovedDto> {
    return this.rpc.call(schedule.remove, { id, accountID, credentialID });
  }
}
