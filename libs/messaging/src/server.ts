import { atEndOfTurn, withTimeout, type Reservation } from '@batuta/async';
import { subjectAt } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
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
import { closeStale, connectElsewhere, connectionOptions } from './connection';
import {
  LARGE_REQUEST_BYTES,
  LargeRequests,
  MEMORY_SHARE_HEADER,
  TENANT_HEADER,
  withLargeRequest,
} from './large-requests';
import { hasRawParts, readPacket, writePacket, type WrittenPacket } from './packet';
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
  /** The newest connection, which sends all replies. */
  private connection?: NatsConnection;
  private contractSubscriptions?: Subscriptions;
  /** Requests in flight, each as the function that sends its replies. */
  private readonly inFlight = new Set<SendReply>();
  private readonly largeRequests = new LargeRequests();
  /** The memory of the large requests in flight. */
  private readonly reserved = new WeakMap<object, Reservation>();
  private onLastReply: () => void = () => {};

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
      subscribe: (subject: string, options: SubscriptionOptions) => {
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
      if (client !== this.connection) continue;
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
    if (message.data.length < LARGE_REQUEST_BYTES) return super.handleMessage(subject, message);
    const tenant = message.headers?.get(MEMORY_SHARE_HEADER) || message.headers?.get(TENANT_HEADER) || undefined;
    try {
      const raw = this.takesRaw(subject) && hasRawParts(message);
      this.reserved.set(message, await this.largeRequests.admit(tenant, message.data, { raw }));
    } catch (error) {
      return this.refuse(message, error);
    }
    try {
      const request = { bytes: message.data.length, tenant };
      await withLargeRequest(request, () => super.handleMessage(subject, message));
      // The last reply releases the memory of a request; a notification has none.
      if (!message.reply) this.release(message);
    } catch (error) {
      this.release(message);
      throw error;
    }
  }

  override getPublisher(message: Msg, id: string): SendReply {
    const sendReply = (response: unknown) => {
      atEndOfTurn(() => {
        this.reply(message, writePacket(Object.assign(Object(response), { id })));
        if (!Object(response).isDisposed) return;
        this.inFlight.delete(sendReply);
        this.release(message);
        this.onLastReply();
      });
    };
    this.inFlight.add(sendReply);
    return sendReply;
  }

  /** Stops accepting requests and waits until those in flight are answered, so that their callers need not wait until their time limit. */
  override async close(): Promise<void> {
    const late = () => new Error('requests in flight were not answered in time');
    await withTimeout(this.drain(), DRAIN_TIME_LIMIT_MS, late).catch(() => undefined);
    await Promise.all([this.connection?.close(), super.close()]);
  }

  /** Receives requests from another node, and replies over it to those in flight. */
  private async leaveNode(left: NatsConnection): Promise<void> {
    const next = await connectElsewhere(this.connecting);
    if (!next) return;
    if (left.isClosed() || left !== this.connection) return next.close();
    this.connection = next;
    void this.handleStatusUpdates(next);
    // It fails only when the service closes meanwhile.
    await this.contractSubscriptions?.moveTo(next).catch(() => undefined);
    await left.close();
  }

  private takesRaw(subject: string): boolean {
    return this.messageHandlers.get(subject)?.extras?.['raw'] === true;
  }

  private release(message: Msg): void {
    this.reserved.get(message)?.release();
    this.reserved.delete(message);
  }

  private async drain(): Promise<void> {
    await this.contractSubscriptions?.drain();
    while (this.inFlight.size > 0) await new Promise<void>((resolve) => (this.onLastReply = resolve));
  }

  /** Refuses a request with the packet that Nest sends for an error of a handler. */
  private refuse(message: Msg, error: unknown): void {
    const fault = error instanceof ApiError ? error : new ApiError('INTERNAL');
    this.reply(message, writePacket({ err: fault.toWire(), isDisposed: true }));
  }

  /** A reply that can no longer be sent is dropped: its caller gets UNAVAILABLE at its time limit. */
  private reply({ reply: subject }: Msg, { data, headers }: WrittenPacket): void {
    if (!subject) return;
    try {
      this.connection?.publish(subject, data, { headers });
    } catch (error) {
      if (!(error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError))
        throw error;
    }
  }
}
