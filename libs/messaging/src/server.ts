import { atEndOfTurn, withTimeout, type Reservation } from '@batuta/async';
import { subjectAt } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { EventEmitter, once } from 'node:events';
import {
  errors,
  type ConnectionOptions,
  type Msg,
  type NatsConnection,
  type SubscriptionOptions,
} from '@nats-io/transport-node';
import {
  IncomingRequestDeserializer,
  ServerNats,
  type CustomStrategy,
  type MessageHandler,
} from '@nestjs/microservices';
import { closeConnection, closeStale, connectElsewhere, connectionOptions, exceedsMaxPayload } from './connection';
import {
  LARGE_REQUEST_BYTES,
  LargeRequests,
  MEMORY_SHARE_HEADER,
  TENANT_HEADER,
  withLargeRequest,
} from './large-requests';
import { hasRawParts, readPacket, writePacket, type WrittenPacket } from './packet';
import { RefusedRights } from './refused-rights';
import { Subscriptions } from './subscriptions';

/**
 * Grace period for requests in flight when a service stops. Afterwards they get no reply, and their callers get UNAVAILABLE at their own time
 * limits.
 */
const DRAIN_TIME_LIMIT_MS = 2_000;

/**
 * The server side of the message contracts, for `app.connectMicroservice`. `name` appears in the server's list of clients. `replica` = the name
 * by which the service announces this replica, if it handles requests whose contract names such a notification.
 */
export function natsMicroservice(url: string, name: string, replica?: string): CustomStrategy {
  return { strategy: new ContractServer(connectionOptions(url, name), replica) };
}

class PacketDeserializer extends IncomingRequestDeserializer {
  constructor(private readonly takesRaw: (subject: string) => boolean) {
    super();
  }

  override deserialize(message: Msg, options: { channel: string }) {
    return super.deserialize(readPacket(message, { raw: this.takesRaw(options.channel) }), options);
  }
}

type SendReply = (response: unknown) => unknown;

/**
 * Nest's server for NATS. In addition it bounds the memory of large requests, moves to another node when its own one stops, and answers the
 * requests in flight before it closes.
 */
class ContractServer extends ServerNats {
  /** The newest connection. */
  private connection?: NatsConnection;
  /** Connections to nodes that stop, until they are closed. */
  private readonly leftConnections = new Set<NatsConnection>();
  /** Connections that are lost for the moment. */
  private readonly lostConnections = new WeakSet<NatsConnection>();
  private contractSubscriptions?: Subscriptions;
  /** Requests in flight, each with the connection that delivered it. */
  private readonly inFlight = new Map<Msg, NatsConnection>();
  /** The messages that Nest replies to. */
  private readonly requests = new WeakSet<Msg>();
  private readonly largeRequests = new LargeRequests();
  /** The memory of the large requests in flight. */
  private readonly reserved = new WeakMap<object, Reservation>();
  /** `progress`: a request has ended or a connection is lost. */
  private readonly events = new EventEmitter<{ progress: [] }>();
  private isClosing = false;

  constructor(
    private readonly connecting: ConnectionOptions,
    private readonly replica?: string,
  ) {
    super({ ...connecting, gracefulShutdown: false });
  }

  /** Reads the packets of handlers marked `raw` with their large parts as text. */
  protected override readonly deserializer = new PacketDeserializer((subject) => this.takesRaw(subject));

  /** Looks the subject up as a plain name. Nest would try to parse it as JSON, and throw and catch an error, for every message. */
  override getHandlerByPattern(subject: string): MessageHandler | null {
    return this.messageHandlers.get(subject) ?? null;
  }

  /** Calls back once NATS has registered every subscription, so that requests are answered from then on. */
  override async listen(callback: (error?: unknown) => void): Promise<void> {
    const failure = await new Promise<unknown>((resolve) => void super.listen(resolve));
    if (failure) return callback(failure);
    const registered = this.unwrap<NatsConnection>().flush();
    const fault = await registered.catch((error: unknown) => error);
    callback(fault);
  }

  override bindEvents(client: NatsConnection): void {
    const subscriptions = new Subscriptions(client);
    this.connection = client;
    this.contractSubscriptions = subscriptions;
    super.bindEvents({
      subscribe: (subject: string, { queue, callback }: SubscriptionOptions) => {
        const receive = (error: Error | null, message: Msg, connection: NatsConnection) => {
          // The connection has a status with the same error.
          if (error) return;
          if (message.reply) this.inFlight.set(message, connection);
          void callback?.(error, message);
        };
        const options = { queue, callback: receive };
        subscriptions.add(subject, options);
        if (this.replica !== undefined && this.messageHandlers.get(subject)?.extras?.['byTenant'] === true) {
          subscriptions.add(subjectAt(this.replica, { subject }), options);
        }
      },
    });
  }

  /**
   * Acts on each status of a connection. Logs its loss and its return once each; Nest would log every attempt to reconnect.
   */
  override async handleStatusUpdates(client: NatsConnection): Promise<void> {
    const refusedRights = new RefusedRights((text) => this.logger.error(text));
    for await (const status of client.status()) {
      if (status.type === 'error' && !refusedRights.add(status.error)) this.logger.error(status.error);
      if (status.type === 'staleConnection') closeStale(client);
      if (status.type === 'ldm' && client === this.connection) void this.leaveNode(client);
      if (status.type === 'disconnect') this.onLoss(client, status.server);
      if (status.type === 'reconnect') this.onReturn(client, status.server);
    }
  }

  override async handleMessage(subject: string, message: Msg): Promise<void> {
    const isLarge = message.data.length >= LARGE_REQUEST_BYTES;
    try {
      await (isLarge ? this.handleLarge(subject, message) : super.handleMessage(subject, message));
      // The last reply ends a request. A notification has none, nor has a message without an id.
      if (!this.requests.has(message)) this.end(message);
    } catch (error) {
      this.end(message);
      throw error;
    }
  }

  override getPublisher(message: Msg, id: string): SendReply {
    this.requests.add(message);
    return (response: unknown) => {
      atEndOfTurn(() => {
        this.reply(message, writePacket(Object.assign(Object(response), { id })));
        if (Object(response).isDisposed) this.end(message);
      });
    };
  }

  /** Stops accepting requests and waits until those in flight are answered, so that their callers need not wait until their time limit. */
  override async close(): Promise<void> {
    this.isClosing = true;
    const late = () => new Error('requests in flight were not answered in time');
    await withTimeout(this.drain(), DRAIN_TIME_LIMIT_MS, late).catch(() => undefined);
    const open = [...this.leftConnections, ...(this.connection ? [this.connection] : [])];
    await Promise.all([...open.map(closeConnection), super.close()]);
  }

  private async handleLarge(subject: string, message: Msg): Promise<void> {
    const tenant = message.headers?.get(MEMORY_SHARE_HEADER) || message.headers?.get(TENANT_HEADER) || undefined;
    try {
      const raw = this.takesRaw(subject) && hasRawParts(message);
      this.reserved.set(message, await this.largeRequests.admit(tenant, message.data, { raw }));
    } catch (error) {
      return this.refuse(message, error);
    }
    const request = { bytes: message.data.length, tenant };
    await withLargeRequest(request, () => super.handleMessage(subject, message));
  }

  /**
   * Moves to another node, if one is reachable, when that of `left` announces its stop (lame duck mode). `left` still sends the replies to the
   * requests that it has delivered, unless it is lost, and then closes.
   */
  private async leaveNode(left: NatsConnection): Promise<void> {
    const next = await connectElsewhere(this.connecting);
    if (!next) return;
    if (this.isClosing || left !== this.connection) return next.close();
    this.leftConnections.add(left);
    this.connection = next;
    void this.handleStatusUpdates(next);
    await this.contractSubscriptions?.moveTo(next);
    const isNeeded = () => !this.isLost(left) && [...this.inFlight.values()].includes(left);
    while (isNeeded()) await once(this.events, 'progress');
    if (!this.isLost(left)) await flush(left);
    await closeConnection(left);
    this.leftConnections.delete(left);
  }

  private isLost(connection: NatsConnection): boolean {
    return this.lostConnections.has(connection);
  }

  private onLoss(connection: NatsConnection, server: string): void {
    if (this.isLost(connection)) return;
    this.lostConnections.add(connection);
    this.events.emit('progress');
    if (connection !== this.connection) return;
    this.logger.warn(`the connection to NATS (${server}) that receives requests is lost; the service reconnects`);
  }

  private onReturn(connection: NatsConnection, server: string): void {
    this.lostConnections.delete(connection);
    if (connection !== this.connection) return;
    this.contractSubscriptions?.subscribeAgain();
    this.logger.warn(`the connection to NATS (${server}) that receives requests is back`);
  }

  private takesRaw(subject: string): boolean {
    return this.messageHandlers.get(subject)?.extras?.['raw'] === true;
  }

  /** Called after the last reply to a message, or when there is none. */
  private end(message: Msg): void {
    this.reserved.get(message)?.release();
    this.reserved.delete(message);
    this.inFlight.delete(message);
    this.events.emit('progress');
  }

  private async drain(): Promise<void> {
    await this.contractSubscriptions?.drain();
    while (this.inFlight.size > 0) await once(this.events, 'progress');
    const open = [...this.leftConnections, ...(this.connection ? [this.connection] : [])];
    await Promise.all(open.filter((connection) => !this.isLost(connection)).map(flush));
  }

  /** Refuses a request with the packet that Nest sends for an error of a handler. */
  private refuse(message: Msg, error: unknown): void {
    const fault = error instanceof ApiError ? error : new ApiError('INTERNAL');
    if (fault !== error) this.logger.error(error);
    this.reply(message, writePacket({ err: fault.toWire(), isDisposed: true }));
    this.end(message);
  }

  /**
   * Replies over the connection that delivered the request, so that the parts of a reply stay in order, unless that connection is lost. A
   * reply that can no longer be sent is dropped: its caller gets UNAVAILABLE at its time limit.
   */
  private reply(message: Msg, { data, headers }: WrittenPacket): void {
    if (!message.reply) return;
    const own = this.inFlight.get(message);
    const connection = own && this.leftConnections.has(own) && !this.isLost(own) ? own : this.connection;
    try {
      connection?.publish(message.reply, data, { headers });
    } catch (error) {
      if (exceedsMaxPayload(error))
        return this.refuse(message, new Error(`a reply to ${message.subject} is too large`));
      if (!(error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError))
        throw error;
    }
  }
}

/**
 * Resolves when the node has received all messages that were published over the connection, or when the connection is closed. Called before a
 * connection is closed, because that drops the bytes that its socket has not sent yet.
 */
async function flush(connection: NatsConnection): Promise<void> {
  await Promise.race([connection.flush().catch(() => undefined), connection.closed()]);
}
