import type { AuthenticatedCaller } from '@batuta/auth';
import { EVENT_STREAM_EXAMPLE, InstanceFollower, LAST_EVENT_ID_HEADER } from '@batuta/events';
import { ApiRefusals } from '@batuta/openapi';
import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Authorize } from '../authorization/authorize';
import { CallerOf } from '../http/request';
import { InstanceParams } from '../instances/instance-params.dto';

/** An instance as server-sent events; an addition to the contract. */
@ApiTags('Instances')
@Controller('v1/instances')
export class EventsController {
  constructor(private readonly follower: InstanceFollower) {}

  @Get(':iid/events')
  @Authorize()
  @ApiOperation({
    summary: 'Follow an instance',
    description: `Server-sent events: \`log\` with each line of the log, \`status\` with the body of
\`GET /v1/instances/{iid}\` whenever it has changed, \`heartbeat\` every two seconds while nothing changes. The stream ends with the instance, and after five minutes:
continue with \`Last-Event-ID\`. Within ten seconds of the end of its credential or account it ends with the event \`refused\`,
whose data are the error.`,
  })
  @ApiHeader(LAST_EVENT_ID_HEADER)
  @ApiResponse({
    status: 200,
    description: 'The stream.',
    content: { 'text/event-stream': { schema: { type: 'string' }, example: EVENT_STREAM_EXAMPLE } },
  })
  @ApiResponse({ status: 204, description: 'The instance has ended, and its end was received: do not come back.' })
  @ApiRefusals('INSTANCE_NOT_FOUND')
  events(
    @CallerOf() { accountID, companyID, credentialID }: AuthenticatedCaller,
    @Param() { iid: instanceID }: InstanceParams,
    @Headers('Last-Event-ID') lastEventID: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const owner = { accountID, companyID };
    return this.follower.follow(response, { instanceID, lastEventID, owner, accessID: credentialID });
  }
}
