import type { AuthorizedProcess, Caller } from '@batuta/auth';
import { schedule, type Schedule } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Controller, Delete, Get, HttpCode, Param, Patch, Post, UseGuards } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { CallerGuard } from '../access/caller.guard';
import { BodyProcessGuard, Needs } from '../access/process.guard';
import { Asking } from '../asking';
import { BodyGuard } from '../http/body.guard';
import { CallerOf, JsonOf, ProcessOf } from '../http/request';
import { Endpoint } from '../openapi/endpoint';
import { readActive, readScheduleBody } from './schedule-body';
import { readScheduleID, ScheduleGuard } from './schedule.guard';
import * as described from './schedule.schema';

const tag = 'Schedules';
const params = { id: described.SCHEDULE_ID };

/** Contract 4.12 to 4.16. What a schedule may be, and whose it is, is for the schedule service to say. */
@Controller('v1/schedules')
@UseGuards(CallerGuard)
export class SchedulesController {
  constructor(
    private readonly rpc: Rpc,
    private readonly asking: Asking,
  ) {}

  @Get()
  @Endpoint({
    tag,
    summary: 'List schedules',
    description: 'Those of own processes, and those that the account created on shared ones.',
    access: 'account',
    answers: [
      {
        status: 200,
        description: 'All of them, oldest first.',
        schema: described.scheduleList,
        example: described.SCHEDULES,
      },
    ],
  })
  async list(@CallerOf() { accountID }: Caller): Promise<{ schedules: Schedule[] }> {
    const schedules: Schedule[] = [];
    for (let after: string | undefined; ; after = schedules.at(-1)?.id) {
      const page = await this.rpc.call(schedule.list, { accountID, after });
      schedules.push(...page.schedules);
      if (!page.more || page.schedules.length === 0) return { schedules };
    }
  }

  @Post()
  @HttpCode(201)
  @Needs('schedule')
  @UseGuards(BodyProcessGuard)
  @Endpoint({
    tag,
    summary: 'Schedule a process',
    description:
      'On a shared process it needs the permission `schedule`. Each run is one of the owner of the process, whose plan has to include scheduling.',
    access: 'process',
    body: { schema: described.scheduleInput, required: true, examples: described.SCHEDULE_EXAMPLES },
    answers: [{ status: 201, description: 'Made.', schema: described.scheduleMade, example: described.MADE }],
    errors: ['INVALID_NAME', 'INVALID_CRON', 'INVALID_MATRIX', 'INVALID_ENVIRONMENT'],
  })
  async create(
    @CallerOf() { accountID, label }: Caller,
    @ProcessOf() { processID, key }: AuthorizedProcess,
    @JsonOf() json: Record<string, unknown>,
  ): Promise<{ id: string }> {
    const draft = readScheduleBody(json);
    const creator = { accountID, label };
    const once = { id: uuid(), deadline: this.asking.deadline() };
    const creation = { ...once, processID, creator, executor: key.identifier, draft };
    const reply = await this.asking.untilAnswered(schedule.create, creation);
    if (!reply) throw new ApiError('UNAVAILABLE', 'The schedule could not be made in time; try again.');
    return reply;
  }

  @Patch(':id')
  @UseGuards(ScheduleGuard, BodyGuard)
  @Endpoint({
    tag,
    summary: 'Switch a schedule on or off',
    description: 'By who created it or owns its process. Switched on, it goes on with the next time to come.',
    access: 'account',
    params,
    body: { schema: described.scheduleChange, required: true, examples: described.CHANGE_EXAMPLES },
    answers: [{ status: 200, description: 'Done.', schema: described.scheduleChanged, example: described.CHANGED }],
    errors: ['SCHEDULE_NOT_FOUND'],
  })
  change(
    @CallerOf() { accountID }: Caller,
    @Param('id') id: string,
    @JsonOf() json: Record<string, unknown>,
  ): Promise<{ id: string; active: boolean }> {
    const active = readActive(json['active']);
    return this.rpc.call(schedule.setActive, { id: readScheduleID(id), accountID, active });
  }

  @Delete(':id')
  @Endpoint({
    tag,
    summary: 'Remove a schedule for good',
    description: 'By who created it or owns its process.',
    access: 'account',
    params,
    answers: [{ status: 200, description: 'Done.', schema: described.scheduleRemoved, example: { ok: true } }],
    errors: ['SCHEDULE_NOT_FOUND'],
  })
  remove(@CallerOf() { accountID }: Caller, @Param('id') id: string): Promise<{ ok: true }> {
    return this.rpc.call(schedule.remove, { id: readScheduleID(id), accountID });
  }
}
