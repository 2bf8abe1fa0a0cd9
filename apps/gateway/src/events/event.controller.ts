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
import { EVENT_STREAM, LAST_EVENT_ID } from './event.examples';
import { EventStreams } from './event-streams';
import { hasEnded, instanceEvents, type StreamEvent } from './instance-events';

const MAX_LINES_PER_POLL = 200;
/** A longer stream ends, so that the client reconnects and its credential and permissions are checked again. */
const MAX_STREAM_MS = 300_000;
const RETRY_MS = 1_000;

/** An instance as server-sent events, resumable at any replica with `Last-Event-ID`; an addition to the contract. */
@ApiTags('Instances')
@Controller('v1/instances')
export class EventsController {
  constructor(
    private readonly rpc: Rpc,
    private readonly streams: EventStreams,
  ) {}

  @Get(':iid/events')
  @Authorize()
  @ApiOperation({
    summary: 'Follow an instance',
    description: `Server-sent events: \`log\` with each line of the log, \`status\` with the body of
\`GET /v1/instances/{iid}\` whenever it has changed. The stream ends with the instance. It also ends after five minutes:
continue with \`Last-Event-ID\`.`,
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
    @CallerOf() { accountID, companyID }: AuthenticatedCaller,
    @Param() { iid: instanceID }: InstanceParams,
    @Headers('Last-Event-ID') lastEventID: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const since = readEventID(lastEventID);
    const news = (after: number) =>
      this.rpc.call(execution.news, { instanceID, viewer: { accountID }, after, limit: MAX_LINES_PER_POLL });
    const { body } = await news(since.line);
    if (since.end && hasEnded(body)) {
      // An EventSource does not reconnect after 204.
      response.status(204).end();
      return;
    }
    const stream = this.streams.open({ accountID, companyID });
    response.once('close', () => stream.abort());
    const timer = setTimeout(() => stream.abort(), MAX_STREAM_MS);
    try {
      beginStream(response);
      const waitForChange = () => this.streams.waitForChange(instanceID, stream.signal);
      for await (const event of instanceEvents(since.line, { news, waitForChange, signal: stream.signal })) {
        await write(response, event, stream.signal);
      }
    } finally {
      clearTimeout(timer);
      this.streams.close(stream);
      response.end();
    }
  }
}

function beginStream(response: Response): void {
  response.status(200).set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
  response.flushHeaders();
  response.write(`retry: ${RETRY_MS}\n\n`);
}

/** Waits until a slow client has read the buffered events, or the stream ends. */
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
