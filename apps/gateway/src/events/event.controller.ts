import type { AuthenticatedCaller } from '@batuta/auth';
import { execution } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { LargeAnswers } from '@batuta/http';
import { Rpc } from '@batuta/messaging';
import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Authorize } from '../authorization/authorize.decorator';
import { tenantOf } from '../common/large-answer';
import { CallerOf } from '../http/request';
import { ApiRefusals } from '@batuta/openapi';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InstanceParams } from '../instances/instance-params.dto';
import { readEventID } from './event-id';
import { EVENT_STREAM, LAST_EVENT_ID } from './event.examples';
import { EventStreams } from './event-streams';
import { EventWriter } from './event-writer';
import { hasEnded, instanceEvents, type InstanceSource } from './instance-events';
import { StreamCredentials } from './stream-credentials';

const MAX_LINES_PER_POLL = 200;
/** A stream has one page of about this size in memory, so that many streams fit into the budget of large answers. */
const PAGE_BYTES = 256 * 1024;
/** The message of a page, its lines and the text of an event are in memory together. */
const COUNTED_PAGE_BYTES = 2 * PAGE_BYTES;
/** A longer stream ends, so that the client reconnects and its credential and permissions are checked again. */
const MAX_STREAM_MS = 300_000;

/** An instance as server-sent events, resumable at any replica with `Last-Event-ID`; an addition to the contract. */
@ApiTags('Instances')
@Controller('v1/instances')
export class EventsController {
  constructor(
    private readonly rpc: Rpc,
    private readonly streams: EventStreams,
    private readonly credentials: StreamCredentials,
    private readonly answers: LargeAnswers,
  ) {}

  @Get(':iid/events')
  @Authorize()
  @ApiOperation({
    summary: 'Follow an instance',
    description: `Server-sent events: \`log\` with each line of the log, \`status\` with the body of
\`GET /v1/instances/{iid}\` whenever it has changed. The stream ends with the instance. It also ends after five minutes:
continue with \`Last-Event-ID\`. Within ten seconds of the end of its credential or account it ends with the event \`refused\`,
whose data are the error.`,
  })
  @ApiHeader(LAST_EVENT_ID)
  @ApiResponse({
    status: 200,
    description: 'The stream.',
    content: { 'text/event-stream': { schema: { type: 'string' }, example: EVENT_STREAM } },
  })
  @ApiResponse({ status: 204, description: 'The instance has ended, and its end was received: do not come back.' })
  @ApiRefusals('INSTANCE_NOT_FOUND')
  async events(
    @CallerOf() caller: AuthenticatedCaller,
    @Param() { iid: instanceID }: InstanceParams,
    @Headers('Last-Event-ID') lastEventID: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const since = readEventID(lastEventID);
    const ask = (after: number, limit: number) =>
      this.rpc.call(execution.news, {
        instanceID,
        viewer: { accountID: caller.accountID },
        after,
        limit,
        bytes: PAGE_BYTES,
      });
    const { body } = await ask(since.line, 0);
    if (since.end && hasEnded(body)) {
      // An EventSource does not reconnect after 204.
      response.status(204).end();
      return;
    }
    const stream = this.streams.open(caller);
    const { signal } = stream;
    response.once('close', () => stream.abort());
    const timer = setTimeout(() => stream.abort(), MAX_STREAM_MS);
    const unwatch = this.credentials.watch(caller.credentialID, stream);
    const writer = new EventWriter(response, signal);
    const source: InstanceSource = {
      news: (after) => ask(after, MAX_LINES_PER_POLL),
      admitPage: () => this.answers.reserve(tenantOf(caller), COUNTED_PAGE_BYTES, signal),
      waitForChange: () => this.streams.waitForChange(instanceID, signal),
      signal,
    };
    try {
      writer.begin();
      for await (const event of instanceEvents(since.line, source)) {
        this.answers.sent(tenantOf(caller), await writer.write(event));
      }
      tellRefusal(response, signal.reason);
    } catch (error) {
      if (!tellRefusal(response, error)) throw error;
    } finally {
      clearTimeout(timer);
      unwatch();
      this.streams.close(stream);
      response.end();
    }
  }
}

/** The last event of a stream that a refusal ends; false for any other reason. */
function tellRefusal(response: Response, reason: unknown): boolean {
  if (!(reason instanceof ApiError) || !response.headersSent) return false;
  response.write(`event: refused\ndata: ${JSON.stringify(reason.toEnvelope())}\n\n`);
  return true;
}
