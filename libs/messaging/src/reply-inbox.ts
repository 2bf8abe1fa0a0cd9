import { atEndOfTurn } from '@batuta/async';
import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { closeConnection, exceedsMaxPayload } from './connection';

/**
 * Receives a reply, or the reason why there is none; returns true while further replies to the request are expected. `unreceived` = no
 * service has received the request, because none subscribes to its subject or the connection is closed; `tooLarge` = no service can receive
 * it, because it exceeds `max_payload`; `missing` = the last reply did not arrive in time or before `close`.
 */
type ReplyListener = (reply: Msg | 'unreceived' | 'tooLarge' | 'missing') => boolean;

interface PendingRequest {
  onReply: ReplyListener;
  timer: NodeJS.Timeout;
}

const NO_RESPONDERS_STATUS = 503;

/**
 * Requests of one connection, with one subscription for all their replies. The NATS client's own `request` also has one
 * subscription, but creates an error with a stack trace for every request, which took a tenth of the gateway's time.
 */
export class ReplyInbox {
  private readonly prefix: string;
  private readonly pending = new Map<string, PendingRequest>();
  private requests = 0;
  private onIdle: () => void = () => {};

  /** `inboxPrefix` is the beginning of the subjects on which this user may receive replies. */
  constructor(
    private readonly connection: NatsConnection,
    inboxPrefix: string,
  ) {
    this.prefix = `${createInbox(inboxPrefix)}.`;
  }

  /** Sends a request at the end of this turn of the event loop; its last reply must arrive within `timeout` milliseconds. */
  request(
    subject: string,
    payload: string,
    { timeout, headers, onReply }: { timeout: number; headers?: MsgHdrs; onReply: ReplyListener },
  ): void {
    if (this.requests === 0) this.subscribe();
    this.requests += 1;
    const token = String(this.requests);
    const timer = setTimeout(() => this.settle(token, 'missing'), timeout);
    this.pending.set(token, { onReply, timer });
    atEndOfTurn(() => {
      if (this.pending.has(token)) this.publish(token, subject, payload, headers);
    });
  }

  /** Resolves once no request is pending; to be called when no more requests are sent. */
  async drain(): Promise<void> {
    if (this.pending.size > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
  }

  /** Ends every pending request without a reply, and closes the connection. */
  async close(): Promise<void> {
    for (const token of this.pending.keys()) this.settle(token, 'missing');
    await closeConnection(this.connection);
  }

  /** Subscribes at the first request: a service that sends no requests has no right to receive replies, and NATS would log a violation. */
  private subscribe(): void {
    this.connection.subscribe(`${this.prefix}*`, {
      callback: (error, reply) => {
        if (!error) this.receive(reply);
      },
    });
  }

  private publish(token: string, subject: string, payload: string, headers: MsgHdrs | undefined): void {
    try {
      this.connection.publish(subject, payload, { reply: this.prefix + token, headers });
    } catch (error) {
      // Otherwise the connection is closed or closing.
      this.settle(token, exceedsMaxPayload(error) ? 'tooLarge' : 'unreceived');
    }
  }

  private receive(reply: Msg): void {
    const noResponders = reply.data.length === 0 && reply.headers?.code === NO_RESPONDERS_STATUS;
    this.settle(reply.subject.slice(this.prefix.length), noResponders ? 'unreceived' : reply);
  }

  private settle(token: string, reply: Parameters<ReplyListener>[0]): void {
    const request = this.pending.get(token);
    if (!request || request.onReply(reply)) return;
    this.pending.delete(token);
    clearTimeout(request.timer);
    if (this.pending.size === 0) this.onIdle();
  }
}
