import type { EventSubject, RpcSubject } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { currentRequestID } from '@batuta/observability';
import { connect, errors, headers, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { connectionOptions, LEAST_MAX_PAYLOAD } from './connection';
import { Inbox } from './inbox';

export const REQUEST_ID_HEADER = 'X-Request-Id';
const DEFAULT_TIMEOUT = 5_000;

/** Its type is checked where the reply is made: `Handles` takes no method with another one. */
interface ReplyPacket<Reply> {
  response: Reply;
  err?: { code?: unknown; message?: unknown };
  /** No other one follows. */
  isDisposed?: boolean;
}

/**
 * The asking side of the contracts. It speaks the packets of Nest's NATS transport over one shared reply inbox, where
 * Nest's own client subscribes anew for each request.
 */
export class Rpc {
  private up = true;
  private readonly inbox: Inbox;

  private constructor(
    private readonly connection: NatsConnection,
    private readonly timeout: number,
  ) {
    this.inbox = new Inbox(connection);
    void this.watch();
  }

  /**
   * Waits until the server is there. `name` shows in the server's list of clients; `timeout` is that of calls which name
   * none, in milliseconds.
   */
  static async connect(url: string, name: string, { timeout = DEFAULT_TIMEOUT } = {}): Promise<Rpc> {
    return new Rpc(await connect(connectionOptions(url, name)), timeout);
  }

  get connected(): boolean {
    return this.up && !this.connection.isClosed();
  }

  /** Whether a server that takes our largest messages answers now. Pending for as long as the server hangs. */
  async ping(): Promise<boolean> {
    if (!this.connected || (this.connection.info?.max_payload ?? 0) < LEAST_MAX_PAYLOAD) return false;
    await this.connection.rtt();
    return true;
  }

  /**
   * Asks and awaits the reply. Throws the ApiError that the handler threw, or UNAVAILABLE when nobody answers in
   * `timeout` milliseconds, nobody is there to answer, or NATS is away: then the request may or may not have been done.
   * `ahead` takes the replies that come ahead of it.
   */
  async call<Request, Reply>(
    { subject }: RpcSubject<Request, Reply>,
    request: Request,
    { timeout = this.timeout, ahead }: { timeout?: number; ahead?: (reply: Reply) => void } = {},
  ): Promise<Reply> {
    if (!this.connected) throw new ApiError('UNAVAILABLE', 'The message bus is away for the moment; try again.');
    const packet = JSON.stringify({ pattern: subject, data: request, id: subject });
    const reply = await this.ask<Reply>(subject, packet, timeout, ahead).catch((error: unknown) => {
      throw unsent(error);
    });
    if (!reply) throw new ApiError('UNAVAILABLE', `No service answered ${subject} in time; try again.`);
    const { response, err } = reply;
    if (err) throw ApiError.fromWire(err);
    return response;
  }

  /**
   * Sends a hint to every listener, behind the replies of this turn. It may be lost, and is when NATS is away: whoever
   * needs it also looks by itself.
   */
  notify<Body>({ subject }: EventSubject<Body>, body: Body): void {
    const packet = JSON.stringify({ pattern: subject, data: body });
    const sent = requestHeaders();
    setImmediate(() => {
      if (!this.connected) return;
      try {
        this.connection.publish(subject, packet, { headers: sent });
      } catch {
        // Nobody is there to hear of it any more, and a lost hint is no reason to end a service.
      }
    });
  }

  /** Listens to a hint outside of a Nest controller, for as long as somebody here wants to know. Returns the way to stop. */
  subscribe<Body>({ subject }: EventSubject<Body>, listener: (body: Body) => void): () => void {
    const subscription = this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error) listener(message.json<{ data: Body }>().data);
      },
    });
    return () => subscription.unsubscribe();
  }

  async close(): Promise<void> {
    this.inbox.close();
    await this.connection.close();
  }

  /** Its promise fails with what is thrown while it asks, or while a reply is taken. */
  private ask<Reply>(
    subject: string,
    packet: string,
    timeout: number,
    ahead?: (reply: Reply) => void,
  ): Promise<ReplyPacket<Reply> | undefined> {
    return new Promise((resolve, reject) => {
      const take = (message: Msg | undefined): boolean => {
        try {
          const reply = message?.json<ReplyPacket<Reply>>();
          if (ahead && reply && !reply.isDisposed) {
            ahead(reply.response);
            return true;
          }
          resolve(reply);
        } catch (error) {
          reject(error);
        }
        return false;
      };
      this.inbox.ask(subject, packet, { timeout, headers: requestHeaders(), take });
    });
  }

  private async watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'disconnect') this.up = false;
      if (status.type === 'reconnect') this.up = true;
    }
  }
}

function requestHeaders(): MsgHdrs | undefined {
  const requestID = currentRequestID();
  if (requestID === undefined) return undefined;
  const sent = headers();
  sent.set(REQUEST_ID_HEADER, requestID);
  return sent;
}

function unsent(error: unknown): unknown {
  const away =
    error instanceof errors.ConnectionError ||
    error instanceof errors.ClosedConnectionError ||
    error instanceof errors.DrainingConnectionError;
  return away ? new ApiError('UNAVAILABLE', 'The message bus is away for the moment; try again.') : error;
}
