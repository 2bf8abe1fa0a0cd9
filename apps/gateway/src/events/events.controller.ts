import type { AuthenticatedCaller } from '@batuta/auth';
import { execution } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Authorize } from '../authorization/authorize.decorator';
import { CallerOf } from '../http/request';
import { ApiRefusals } from '@batuta/openapi';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InstanceParams } from '../instances/instance-params.dto';
import { readEventID } from './event-id';
import { EVENT_STREAM, LAST_EVENT_ID } from './event.schema';
import { follow, hasEnded, type StreamEvent } from './follow';
import { Streams } from './streams';

const LINES_AT_ONCE = 200;
/** After this long the client has to come back, with its credential: what was revoked meanwhile is noticed then. */
const LONGEST_MILLISECONDS = 300_000;
const RETRY_MILLISECONDS = 1_000;

/** Beyond the specification: an instance as server-sent events, resumable with `Last-Event-ID`, over any replica. */
@ApiTags('Instances')
@Controller('v1/instances')
export class EventsController {
  constructor(
    private readonly rpc: Rpc,
    private readonly streams: Streams,
  ) {}

  @Get(':iid/events')
  @Authorize()
  @ApiOperation({
    summary: 'Follow an instance',
    description: `Server-sent events: \`log\` with each line of the log, \`status\` with the body of
\`GET /v1/instances/{iid}\` whenever it has changed. The stream ends with the instance. It also ends after five minutes:
go on with \`Last-Event-ID\`.`,
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
    @CallerOf() { accountID }: AuthenticatedCaller,
    @Param() { iid: instanceID }: InstanceParams,
    @Headers('Last-Event-ID') lastEventID: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const since = readEventID(lastEventID);
    const news = (after: number) =>
      this.rpc.call(execution.news, { instanceID, viewer: { accountID }, after, limit: LINES_AT_ONCE });
    const { body } = await news(since.line);
    if (since.end && hasEnded(body)) {
      // 204 tells an EventSource not to come back.
      response.status(204).end();
      return;
    }
    const stream = this.streams.enter();
    response.once('close', () => stream.abort());
    const late = setTimeout(() => stream.abort(), LONGEST_MILLISECONDS);
    try {
      begin(response);
      const change = () => this.streams.change(instanceID, stream.signal);
      for await (const event of follow(since.line, { news, change, signal: stream.signal })) {
        await write(response, event, stream.signal);
      }
    } finally {
      clearTimeout(late);
      this.streams.leave(stream);
      response.end();
    }
  }
}

function begin(response: Response): void {
  response.status(200).set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
  response.flushHeaders();
  response.write(`retry: ${RETRY_MILLISECONDS}\n\n`);
}

/** Waits for a client that reads slowly. */
async function write(response: Response, event: StreamEvent, signal: AbortSignal): Promise<void> {
  const text = event
    ? `event: ${event.event}\nid: ${event.id}\ndata: ${JSON.stringify(event.data)}\n\n`
    : ': waiting\n\n';
  if (response.write(text) || signal.aborted) return;
  await new Promise<void>((resolve) => {
    response.once('drain', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
