import { atEndOfTurn, withTimeout, type Reservation } from '@batuta/async';
import { subjectAt } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import {
  errors,
  type Msg,
  type NatsConnection,
  type Subscription,
  type SubscriptionOptions,
} from '@nats-io/transport-node';
import {
  IncomingRequestDeserializer,
  ServerNats,
  type CustomStrategy,
  type MessageHandler,
  type NatsContext,
  type NatsOptions,
} from '@nestjs/microservices';
import { closeStale, connectionOptions } from './connection';
import {
  LARGE_REQUEST_BYTES,
  LargeRequests,
  MEMORY_SHARE_HEADER,
  TENANT_HEADER,
  withLargeRequest,
} from './large-requests';
import { hasRawParts, readPacket, writePacket } from './packet';

/** Grace period for requests in flight when a service stops; afterwards their callers get UNAVAILABLE and retry. */
const DRAIN_TIME_LIMIT_MS = 2_000;

/**
 * The server side of the message contracts, for `app.connectMicroservice`. `name` appears in the server's list of clients. `replica` = the name
 * by which the service announces this replica, if it handles requests whose contract names such a notification.
 */
export function natsMicroservice(url: string, name: string, replica?: string): CustomStrategy {
  const options = { ...connectionOptions(url, name), gracefulShutdown: false, serializer: PACKET_SERIALIZER };
  return { strategy: new ContractServer(options, replica) };
}

/** Writes replies; unlike Nest's own serializer it looks for no headers in them, because no contract has any. */
const PACKET_SERIALIZER = { serialize: (packet: unknown) => writePacket(packet) };

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
  private readonly contractSubscriptions: Subscription[] = [];
  /** The subscriptions to the subjects of this replica alone. */
  private readonly ownSubscriptions = new Map<string, { options: SubscriptionOptions; subscription: Subscription }>();
  /** Requests in flight, each as the function that sends its replies. */
  private readonly inFlight = new Set<SendReply>();
  private readonly largeRequests = new LargeRequests();
  /** The memory of the large requests in flight. */
  private readonly reserved = new WeakMap<object, Reservation>();
  private onLastReply: () => void = () => {};

  constructor(
    options: NatsOptions['options'],
    private readonly replica?: string,
  ) {
    super(options ?? {});
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
    super.bindEvents({
      subscribe: (subject: string, options: SubscriptionOptions) => {
        const subscription = client.subscribe(subject, options);
        this.contractSubscriptions.push(subscription);
        if (this.replica !== undefined && this.messageHandlers.get(subject)?.extras?.['byTenant'] === true) {
          const own = subjectAt(this.replica, { subject });
          this.ownSubscriptions.set(own, { options, subscription: client.subscribe(own, options) });
        }
        return subscription;
      },
    });
  }

  /** Logs the loss and the return of the connection once each; Nest would log every attempt to reconnect. */
  override async handleStatusUpdates(client: NatsConnection): Promise<void> {
    let isUp = true;
    for await (const status of client.status()) {
      if (status.type === 'error') this.logger.error(status.error);
      if (status.type === 'staleConnection') closeStale(client);
      if (status.type === 'disconnect' && isUp) {
        isUp = false;
        this.logger.warn(
          `the connection to NATS (${status.server}) that receives requests is lost; the service reconnects`,
        );
      }
      if (status.type === 'reconnect') {
        isUp = true;
        this.subscribeAgain(client);
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
      return replyRefusal(message, error);
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

  override getPublisher(message: Msg, id: string, context: NatsContext): SendReply {
    const publish: SendReply = super.getPublisher(message, id, context);
    const sendReply = (response: unknown) => {
      atEndOfTurn(() => {
        publishUnlessClosed(() => publish(response));
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
    await super.close();
  }

  /**
   * A NATS server with the permissions of the previous release refuses subscriptions to the subjects that name one replica; the server that
   * replaces it may allow them. Until then requests on these subjects find no receiver, and their senders send them to any replica.
   */
  private subscribeAgain(client: NatsConnection): void {
    for (const [subject, own] of this.ownSubscriptions)
      if (own.subscription.isClosed()) own.subscription = client.subscribe(subject, own.options);
  }

  private takesRaw(subject: string): boolean {
    return this.messageHandlers.get(subject)?.extras?.['raw'] === true;
  }

  private release(message: Msg): void {
    this.reserved.get(message)?.release();
    this.reserved.delete(message);
  }

  private async drain(): Promise<void> {
    const own = [...this.ownSubscriptions.values()].map(({ subscription }) => subscription);
    this.ownSubscriptions.clear();
    const open = [...this.contractSubscriptions.splice(0), ...own].filter((subscription) => !subscription.isClosed());
    await Promise.all(open.map((subscription) => subscription.drain()));
    while (this.inFlight.size > 0) await new Promise<void>((resolve) => (this.onLastReply = resolve));
  }
}

/** A reply that can no longer be sent is dropped: its caller gets UNAVAILABLE at its time limit. */
function publishUnlessClosed(publish: () => void): void {
  try {
    publish();
  } catch (error) {
    if (!(error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError))
      throw error;
  }
}

/** The packet of a refusal, as Nest sends the error of a handler. */
function replyRefusal(message: Msg, error: unknown): void {
  const fault = error instanceof ApiError ? error : new ApiError('INTERNAL');
  message.respond(JSON.stringify({ err: fault.toWire(), isDisposed: true }));
}
