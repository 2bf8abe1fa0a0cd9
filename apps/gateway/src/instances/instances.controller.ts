import type { Caller } from '@batuta/auth';
import { CONTROL_ACTIONS, execution, type ControlAction, type InstanceBody, type LogLine } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { CallerGuard } from '../access/caller.guard';
import { CallerOf } from '../http/request';
import { readCount } from '../http/read-count';
import { Endpoint } from '../openapi/endpoint';
import { CONTROLLED, INSTANCE, LOGS } from './instance.examples';
import { ACTION, controlled, instance, INSTANCE_ID, logLines, logQuery } from './instance.schema';
import { readInstanceID } from './instance-id';

const tag = 'Instances';
const params = { iid: INSTANCE_ID };

const MOST_LINES = 1_000;
const MOST_LINE_NUMBER = 999_999_999;

/** Contract 4.9 to 4.11. Whether the caller may see the instance is for the execution service to say (interpretation 13). */
@Controller('v1/instances')
@UseGuards(CallerGuard)
export class InstancesController {
  constructor(private readonly rpc: Rpc) {}

  @Get(':iid')
  @Endpoint({
    tag,
    summary: 'How is an instance doing?',
    description: 'Visible to the account that started it and to the owner of the process.',
    access: 'account',
    params,
    answers: [{ status: 200, description: 'In progress, or how it has ended.', schema: instance, example: INSTANCE }],
    errors: ['INSTANCE_NOT_FOUND'],
  })
  status(@CallerOf() { accountID }: Caller, @Param('iid') iid: string): Promise<InstanceBody> {
    return this.rpc.call(execution.instance, { instanceID: readInstanceID(iid), viewer: { accountID } });
  }

  @Get(':iid/logs')
  @Endpoint({
    tag,
    summary: 'Read the log of an instance',
    access: 'account',
    params,
    query: logQuery,
    answers: [{ status: 200, description: 'The lines, oldest first.', schema: logLines, example: LOGS }],
    errors: ['INSTANCE_NOT_FOUND'],
  })
  logs(
    @CallerOf() { accountID }: Caller,
    @Param('iid') iid: string,
    @Query() query: Record<string, unknown>,
  ): Promise<{ logs: LogLine[] }> {
    const limit = readCount('limit', query['limit'], MOST_LINES) ?? MOST_LINES;
    const after = readCount('after', query['after'], MOST_LINE_NUMBER, 0);
    return this.rpc.call(execution.logs, { instanceID: readInstanceID(iid), viewer: { accountID }, limit, after });
  }

  @Post(':iid/:action')
  @HttpCode(200)
  @Endpoint({
    tag,
    summary: 'Stop, pause or resume an instance',
    access: 'account',
    params: { ...params, action: ACTION },
    answers: [{ status: 200, description: 'It is wanted so.', schema: controlled, example: CONTROLLED }],
    errors: ['INVALID_ACTION', 'INSTANCE_NOT_FOUND', 'INSTANCE_FINISHED', 'INSTANCE_UNRESOLVED'],
  })
  control(
    @CallerOf() { accountID, label }: Caller,
    @Param('iid') iid: string,
    @Param('action') word: string,
  ): Promise<{ ok: true; action: ControlAction }> {
    const action = readAction(word);
    // No process key comes with the call, so the audit trail names the credential.
    const viewer = { accountID };
    return this.rpc.call(execution.control, { instanceID: readInstanceID(iid), action, viewer, executor: label });
  }
}

function readAction(word: string): ControlAction {
  const action = CONTROL_ACTIONS.find((known) => known === word);
  if (!action) throw new ApiError('INVALID_ACTION', `action: must be one of ${CONTROL_ACTIONS.join(', ')}`);
  return action;
}
