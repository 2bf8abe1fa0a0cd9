import type { AuthenticatedCaller } from '@batuta/auth';
import { execution, type InstanceBody } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { ApiRefusals, refsTo } from '@batuta/openapi';
import { LargeAnswers, sendPicture } from '@batuta/http';
import { Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { ServerResponse } from 'node:http';
import { Authorize } from '../authorization/authorize';
import { CallerOf, tenantOf } from '../http/request';
import { headerReferences } from '../openapi/headers';
import { ControlParams, EvidenceParams, InstanceParams, LogQuery } from './instance-params.dto';
import { ControlDoneDto, InstanceEndedDto, InstanceInProgressDto, LogListDto } from './instance.dto';
import { CONTROL_EXAMPLE, INSTANCE_EXAMPLE, LOGS_EXAMPLE } from './instance-examples';

/**
 * The routes of one instance (contract 4.9 to 4.11). Execution decides whether the caller may see it (interpretation
 * 13).
 */
@ApiTags('Instances')
@ApiExtraModels(InstanceInProgressDto, InstanceEndedDto)
@Controller('v1/instances')
export class InstancesController {
  constructor(
    private readonly rpc: Rpc,
    private readonly answers: LargeAnswers,
  ) {}

  @Get(':iid')
  @Authorize()
  @ApiOperation({
    summary: 'How is an instance doing?',
    description: 'Visible to the account that started it and to the owner of the process.',
  })
  @ApiResponse({
    status: 200,
    description: 'In progress, or how it has ended.',
    content: {
      'application/json': {
        schema: { anyOf: refsTo('InstanceInProgress', 'InstanceEnded') },
        example: INSTANCE_EXAMPLE,
      },
    },
  })
  @ApiRefusals('INSTANCE_NOT_FOUND')
  status(@CallerOf() { accountID }: AuthenticatedCaller, @Param() { iid }: InstanceParams): Promise<InstanceBody> {
    return this.rpc.call(execution.instance, { instanceID: iid, viewer: { accountID } });
  }

  @Get(':iid/logs')
  @Authorize()
  @ApiOperation({
    summary: 'Read the log of an instance',
    description: `The newest lines, or with \`after\` the oldest lines after that number: up to \`limit\`, and about 1 MB. When
further lines exist, the answer has \`older\` or \`newer\`: the query parameter of the request that reads them.`,
  })
  @ApiResponse({ status: 200, description: 'The lines, oldest first.', type: LogListDto, example: LOGS_EXAMPLE })
  @ApiRefusals('INSTANCE_NOT_FOUND')
  logs(
    @CallerOf() { accountID }: AuthenticatedCaller,
    // The query is the last parameter, because Nest validates the last parameter first: a malformed query is refused
    // before a malformed id.
    @Param() { iid }: InstanceParams,
    @Query() { limit, after, before }: LogQuery,
  ): Promise<LogListDto> {
    return this.rpc.call(execution.logs, { instanceID: iid, viewer: { accountID }, limit, after, before });
  }

  @Get(':iid/evidence/:id')
  @Authorize()
  @ApiOperation({
    summary: 'Read a picture that a step left as evidence',
    description: `The \`evidence\` of a log line is the path of this route. A picture has at most 5 MB and is kept as long as the log lines,
unless the process is deleted before. It is 404 \`NOT_FOUND\` also while the agent still uploads it, as the message then says.`,
  })
  @ApiResponse({
    status: 200,
    description: 'The picture.',
    headers: headerReferences('Content-Disposition'),
    content: {
      'image/png': { schema: { type: 'string', format: 'binary' } },
      'image/jpeg': { schema: { type: 'string', format: 'binary' } },
    },
  })
  @ApiRefusals('INSTANCE_NOT_FOUND', 'NOT_FOUND')
  evidence(
    @CallerOf() caller: AuthenticatedCaller,
    @Param() { iid: instanceID, id: evidenceID }: EvidenceParams,
    @Res() response: ServerResponse,
  ): Promise<void> {
    const request = { instanceID, evidenceID, viewer: { accountID: caller.accountID } };
    return sendPicture(response, `evidence-${evidenceID}`, {
      read: (offset) => this.rpc.call(execution.evidence, { ...request, offset }),
      admit: (bytes, sentBytes) => this.answers.admit(tenantOf(caller), response, bytes, sentBytes),
    });
  }

  @Post(':iid/:action')
  @HttpCode(200)
  @Authorize()
  @ApiOperation({
    summary: 'Stop, pause or resume an instance',
    description: `A stop ends an instance that does not run yet, and a queued one gets its credit back. A running one has not changed yet when
this is answered: its agent is told. It pauses after the step in progress; a stop may interrupt that step.`,
  })
  @ApiResponse({ status: 200, description: 'Accepted.', type: ControlDoneDto, example: CONTROL_EXAMPLE })
  @ApiRefusals('INVALID_ACTION', 'INSTANCE_NOT_FOUND', 'INSTANCE_FINISHED', 'INSTANCE_UNRESOLVED')
  control(
    @CallerOf() { accountID, credentialID, label }: AuthenticatedCaller,
    @Param() { iid, action }: ControlParams,
  ): Promise<ControlDoneDto> {
    // The request has no process key, so the audit trail names the credential.
    const viewer = { accountID, credentialID };
    return this.rpc.call(execution.control, { instanceID: iid, action, viewer, executor: label });
  }
}
