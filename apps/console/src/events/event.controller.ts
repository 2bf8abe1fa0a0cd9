import { InstanceFollower, LAST_EVENT_ID_HEADER } from '@batuta/events';
import { commonHeaders } from '@batuta/openapi';
import { Controller, Get, Headers, Param, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { InstancePath } from '../http/path.dto';
import { EventsQuery } from '../runs/instance.dto';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';

@ApiTags('Runs')
@Controller(BASE_PATH)
export class InstanceEventController {
  constructor(private readonly follower: InstanceFollower) {}

  @Get('instances/:iid/events')
  @Endpoint({
    summary: 'Follow an instance',
    description:
      'Server-sent events: `log` with each line of the log, `status` with the body of `GET /instances/{iid}` whenever it has ' +
      'changed, `heartbeat` every two seconds while nothing changes. The stream ends with the instance, and after five minutes: continue with `Last-Event-ID`, as an EventSource does by ' +
      'itself. Within ten seconds of the end of the login session it ends with the event `refused`, whose data are the error. ' +
      'For who started it and for the owner of its process.',
    audience: 'company',
    answer: 'events',
    errors: ['INSTANCE_NOT_FOUND'],
  })
  @ApiHeader(LAST_EVENT_ID_HEADER)
  @ApiResponse({
    status: 204,
    description: 'The instance has ended, and its end was received: do not come back.',
    headers: commonHeaders(204, { isLimited: true }),
  })
  events(
    @CompanyCallerOf() { accountID, companyID, tokenHash }: CompanyCaller,
    @Param() { iid: instanceID }: InstancePath,
    @Query() { after }: EventsQuery,
    @Headers('Last-Event-ID') lastEventID: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const owner = { accountID, companyID };
    const since = lastEventID ?? after?.toString();
    return this.follower.follow(response, {
      instanceID,
      lastEventID: since,
      owner,
      accessID: tokenHash.toString('hex'),
    });
  }
}
