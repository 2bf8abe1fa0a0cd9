import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { StreamEvent } from './instance-events';

const CLIENT_RECONNECT_MS = 1_000;
/** How long the connection may accept no more bytes before it is cut; the client may reconnect with `Last-Event-ID`. */
const MAX_UNREAD_MS = 30_000;

/** Writes server-sent events no faster than the client reads them. */
export class EventWriter {
  constructor(
    private readonly response: ServerResponse,
    private readonly signal: AbortSignal,
    private readonly maxUnreadMs = MAX_UNREAD_MS,
  ) {}

  begin(): void {
    this.response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'X-Accel-Buffering': 'no',
      // A replica that stops ends its streams and then its connections. With this header no client sends its next
      // request over a connection that is about to close.
      Connection: 'close',
    });
    this.response.flushHeaders();
    this.response.write(`retry: ${CLIENT_RECONNECT_MS}\n\n`);
  }

  /**
   * Resolves to the number of characters of the event once the connection accepts more. If it accepts none in time, or the stream ends
   * before, the connection is cut.
   */
  async write(event: StreamEvent): Promise<number> {
    const text =
      event.event === 'heartbeat'
        ? 'event: heartbeat\ndata: {}\n\n'
        : `event: ${event.event}\nid: ${event.id}\ndata: ${JSON.stringify(event.data)}\n\n`;
    if (this.response.destroyed || this.response.write(text)) return text.length;
    const unread = AbortSignal.any([this.signal, AbortSignal.timeout(this.maxUnreadMs)]);
    await once(this.response, 'drain', { signal: unread }).catch(() => this.response.destroy());
    return text.length;
  }
}
