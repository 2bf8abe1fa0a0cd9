import { execution } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import type { LargeAnswers } from '@batuta/http';
import type { Rpc } from '@batuta/messaging';
import type { ServerResponse } from 'node:http';
import { readEventID } from './event-id';
import type { EventStreams, StreamOwner } from './event-streams';
import { EventWriter } from './event-writer';
import { KnownPosition } from './known-position';
import { hasEnded, instanceEvents, type InstanceSource } from './instance-events';
import type { StreamAccess } from './stream-access';

const MAX_LINES_PER_POLL = 200;
/** Approximate size of a page; each stream has one page in memory, and many streams must fit into the budget of large answers. */
const EVENT_PAGE_BYTES = 256 * 1024;
/** Bytes reserved for a page: its message, its lines and the text of an event are in memory together. */
const COUNTED_EVENT_PAGE_BYTES = 2 * EVENT_PAGE_BYTES;
/** Longest duration of a stream; after it the client reconnects, and its credential and permissions are checked again. */
const MAX_STREAM_MS = 300_000;

export interface FollowRequest {
  instanceID: string;
  /** The request header `Last-Event-ID`. */
  lastEventID: string | undefined;
  owner: StreamOwner;
  /**
   * What `StreamAccess` looks up again while the stream is open: the id of the credential, or the hash of the login session's token in
   * hex.
   */
  accessID: string;
}

/** Answers a request with the server-sent events of an instance, resumable at any replica with `Last-Event-ID`. */
export class InstanceFollower {
  constructor(
    private readonly rpc: Rpc,
    private readonly streams: EventStreams,
    private readonly access: StreamAccess,
    private readonly answers: LargeAnswers,
  ) {}

  /**
   * Resolves when the stream has ended. Throws the ApiError that refuses a stream before its first byte, such as INSTANCE_NOT_FOUND; a later
   * ApiError becomes the event `refused`.
   */
  async follow(response: ServerResponse, { instanceID, lastEventID, owner, accessID }: FollowRequest): Promise<void> {
    const since = readEventID(lastEventID);
    const { accountID } = owner;
    const position = new KnownPosition();
    const ask = async (after: number, limit: number) => {
      const page = { after, limit, bytes: EVENT_PAGE_BYTES, knownPosition: position.current() };
      const news = await this.rpc.call(execution.news, { instanceID, viewer: { accountID }, ...page });
      position.note(news.body);
      return news;
    };
    const { body } = await ask(since.line, 0);
    // The client may have disconnected meanwhile; then no further `close` would end the stream.
    if (response.destroyed) return;
    if (since.end && hasEnded(body)) {
      // An EventSource does not reconnect after 204.
      response.writeHead(204).end();
      return;
    }
    const stream = this.streams.open(owner);
    const { signal } = stream;
    response.once('close', () => stream.abort());
    const timer = setTimeout(() => stream.abort(), MAX_STREAM_MS);
    const unwatch = this.access.watch(accessID, stream);
    const tenant = owner.companyID ?? accountID;
    const source: InstanceSource = {
      news: (after) => ask(after, MAX_LINES_PER_POLL),
      admitPage: () => this.answers.reservePage(tenant, COUNTED_EVENT_PAGE_BYTES, signal),
      waitForChange: () => this.streams.waitForChange(instanceID, signal),
      signal,
    };
    const writer = new EventWriter(response, signal);
    try {
      writer.begin();
      // The response to HEAD has no body: a stream would occupy a place and the connection, and send nothing.
      if (response.req.method === 'HEAD') return;
      for await (const event of instanceEvents(since.line, source)) {
        this.answers.countSent(tenant, await writer.write(event));
      }
      writeRefusalEvent(response, signal.reason);
    } catch (error) {
      if (!writeRefusalEvent(response, error)) throw error;
    } finally {
      clearTimeout(timer);
      unwatch();
      this.streams.close(stream);
      response.end();
    }
  }
}

/** Writes the last event of a stream that a refusal ends; returns false, and writes nothing, for any other reason. */
function writeRefusalEvent(response: ServerResponse, reason: unknown): boolean {
  if (!(reason instanceof ApiError) || !response.headersSent) return false;
  response.write(`event: refused\ndata: ${JSON.stringify(reason.toEnvelope())}\n\n`);
  return true;
}
