import { atEndOfTurn, withTimeout, type Reservation } from '@batuta/async';
import { subjectAt } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { EventEmitter, once } from 'node:events';
import {
  errors,
  type ConnectionOptions,
  type Msg,
  type NatsConnection,
  type Status,
  type SubscriptionOptions,
} from '@nats-io/transport-node';
import {
  IncomingRequestDeserializer,
  ServerNats,
  type CustomStrategy,
  type MessageHandler,
} from '@nestjs/microservices';
import { closeStale, connectElsewhere, connectionOptions } from './connection';
import {
  LARGE_REQUEST_BYTES,
  LargeRequests,
  MEMORY_SHARE_HEADER,
  TENANT_HEADER,
  withLargeRequest,
} from './large-requests';
import { hasRawParts, readPacket, writePacket, type WrittenPacket } from './packet';
import { exceedsMaxPayload } from './reply-inbox';
import { Subscriptions } from './subscriptions';

/** Grace period for requests in flight when a service stops; afterwards their callers get UNAVAILABLE and retry. */
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

class ContractServer extends ServerNats {
  /** The newest connection. */
  private connection?: NatsConnection;
  /** Connections to nodes that stop, until they are lost or the requests that they delivered are answered. */
  private readonly leftConnections = new Set<NatsConnection>();
  private contractSubscriptions?: Subscriptions;
  /** Requests in flight, each with the connection that delivered it. */
  private readonly inFlight = new Map<Msg, NatsConnection>();
  private readonly largeRequests = new LargeRequests();
  /** The memory of the large requests in flight. */
  private readonly reserved = new WeakMap<object, Reservation>();
  private readonly events = new EventEmitter<{ change: [] }>();
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
          if (!error && message.reply) this.inFlight.set(message, connection);
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

  /** Logs the loss and the return of the connection once each; Nest would log every attempt to reconnect. */
  override async handleStatusUpdates(client: NatsConnection): Promise<void> {
    let isUp = true;
    for await (const status of client.status()) {
      if (status.type === 'error') this.logger.error(status.error);
      if (status.type === 'staleConnection') closeStale(client);
      if (client !== this.connection) {
        this.onLeftStatus(client, status.type);
        continue;
      }
      if (status.type === 'ldm') void this.leaveNode(client);
      if (status.type === 'disconnect' && isUp) {
        isUp = false;
        this.logger.warn(
          `the connection to NATS (${status.server}) that receives requests is lost; the service reconnects`,
        );
      }
      if (status.type === 'reconnect') {
        isUp = true;
        this.contractSubscriptions?.subscribeAgain();
        this.logger.warn(`the connection to NATS (${status.server}) that receives requests is back`);
      }
    }
  }

  override async handleMessage(subject: string, message: Msg): Promise<void> {
    const isLarge = message.data.length >= LARGE_REQUEST_BYTES;
    try {
      await (isLarge ? this.handleLarge(subject, message) : super.handleMessage(subject, message));
    } catch (error) {
      this.end(message);
      throw error;
    }
  }

  override getPublisher(message: Msg, id: string): SendReply {
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
    const open = [...this.leftConnections];
    this.leftConnections.clear();
    await Promise.all([...open.map((left) => left.close()), this.connection?.close(), super.close()]);
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
    // The last reply ends a request; a notification has none.
    if (!message.reply) this.end(message);
  }

  /** Receives requests from another node. The first connection still sends the replies to those that it has delivered, and then closes. */
  private async leaveNode(left: NatsConnection): Promise<void> {
    const next = await connectElsewhere(this.connecting);
    if (!next) return;
    if (this.isClosing || left !== this.connection) return next.close();
    this.leftConnections.add(left);
    this.connection = next;
    void this.handleStatusUpdates(next);
    await this.contractSubscriptions?.moveTo(next);
    const isNeeded = () => this.leftConnections.has(left) && [...this.inFlight.values()].includes(left);
    while (isNeeded()) await once(this.events, 'change');
    if (this.leftConnections.delete(left)) await left.close();
  }

  /** A left connection that is lost is of no more use, and closes once the client has reconnected it. */
  private onLeftStatus(left: NatsConnection, status: Status['type']): void {
    if (status !== 'disconnect' && status !== 'reconnect') return;
    this.leftConnections.delete(left);
    this.events.emit('change');
    if (status === 'reconnect') void left.close();
  }

  private takesRaw(subject: string): boolean {
    return this.messageHandlers.get(subject)?.extras?.['raw'] === true;
  }

  /** Called after the last reply to a message, or when there is none. */
  private end(message: Msg): void {
    this.reserved.get(message)?.release();
    this.reserved.delete(message);
    this.inFlight.delete(message);
    this.events.emit('change');
  }

  private async drain(): Promise<void> {
    await this.contractSubscriptions?.drain();
    while (this.inFlight.size > 0) await once(this.events, 'change');
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
    const connection = own && this.leftConnections.has(own) ? own : this.connection;
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
