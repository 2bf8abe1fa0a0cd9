import { atEndOfTurn } from '@batuta/async';
import { subjectAt, type EventSubject, type ReplicaNotice, type RpcSubject } from '@batuta/contracts';
import { ApiError, type ErrorCode } from '@batuta/errors';
import { currentTenant, type Logger } from '@batuta/observability';
import { errors, type Msg, type NatsConnection } from '@nats-io/transport-node';
import {
  certificateEndOf,
  closeStale,
  connectAndWait,
  connectElsewhere,
  connectionOptions,
  inboxPrefix,
  logRefusal,
  REQUIRED_MAX_PAYLOAD_BYTES,
} from './connection';
import { readPacket, writePacket, type WrittenPacket } from './packet';
import { RefusedRights } from './refused-rights';
import { ReplicaAnnouncements } from './replica-announcements';
import { ReplyInbox } from './reply-inbox';
import { requestHeaders, addTenantHeaders } from './request-headers';
import { Subscriptions } from './subscriptions';

const DEFAULT_TIMEOUT_MS = 5_000;
/** Time after the loss of the connection after which the log says why no server accepts another one. A restart of NATS takes less. */
const REASON_DELAY_MS = 5_000;
const NATS_AWAY_MESSAGE = 'The message bus is away for the moment; try again.';

/** The packet of a reply. The compiler checks the type of the response where `Handles` marks the method that returns it. */
interface ReplyPacket<Reply> {
  response: Reply;
  err?: { code?: unknown; message?: unknown };
  /** True on the last reply of a request, absent on partial ones. */
  isDisposed?: boolean;
}

/** The UNAVAILABLE errors of requests that no service has received. */
const unreceivedFaults = new WeakSet<object>();

/** True when the request that failed with this error has reached no service, and so has had no effect: NATS or the service was away. */
export function wasNotReceived(error: unknown): boolean {
  return error instanceof ApiError && unreceivedFaults.has(error);
}

interface ConnectOptions {
  /** Default time limit of a call, in milliseconds. */
  timeout?: number;
  /** Gets the warnings of `connectAndWait`, of a lost connection (one more with the reason when it stays lost), and the rights that NATS refuses. */
  logger?: Logger;
  /** Called for each failed call, with its subject and the code of its error. */
  onFailure?: (subject: string, code: ErrorCode) => void;
}

interface RpcCallOptions<Reply> {
  /** Time limit until the last reply, in milliseconds; by default that of the connection. */
  timeout?: number;
  /** Receives each partial reply; without it the first reply counts as the last one. */
  onPartial?: (reply: Reply) => void;
  /** The tenant of the request, for a call outside of a request that has a tenant; inside of one, the tenant of that request counts. */
  tenant?: string;
  /** The share of the service's memory that a large request uses; by default the share of its tenant. */
  memoryShare?: string;
  /** Whether values that the handler returned as RawJson reach the caller as RawJson; by default they are parsed. */
  raw?: boolean;
}

type SentRequest<Reply> = RpcCallOptions<Reply> & { packet: WrittenPacket; timeout: number };

/** The client side of the message contracts, in the packets of Nest's NATS transport; unlike Nest's own client it has one inbox for all replies. */
export class Rpc {
  /** False from a lost connection to NATS until it is back. */
  private isUp = true;
  private isClosing = false;
  private inbox: ReplyInbox;
  /** The inboxes of connections to nodes that stop, until the last reply to each. */
  private readonly leftInboxes = new Set<ReplyInbox>();
  private readonly subscriptions: Subscriptions;
  private readonly announcements: ReplicaAnnouncements;
  private readonly timeout: number;

  private constructor(
    private connection: NatsConnection,
    private readonly url: string,
    private readonly name: string,
    private readonly options: ConnectOptions,
  ) {
    this.timeout = options.timeout ?? DEFAULT_TIMEOUT_MS;
    this.inbox = new ReplyInbox(connection, inboxPrefix(url));
    this.subscriptions = new Subscriptions(connection);
    this.announcements = new ReplicaAnnouncements(this.subscriptions);
    void this.trackConnection();
  }

  /** Connects to NATS and waits for a server that is not up yet. */
  static async connect(url: string, name: string, options: ConnectOptions = {}): Promise<Rpc> {
    return new Rpc(await connectAndWait(url, name, options.logger), url, name, options);
  }

  get connected(): boolean {
    return this.isUp && !this.connection.isClosed();
  }

  /** End of the validity of the node's certificate, in epoch milliseconds; undefined when the connection shows none. */
  get certificateEnd(): number | undefined {
    return certificateEndOf(this.connection);
  }

  /** True when the server answers and accepts the largest messages. Does not settle while the server hangs. */
  async ping(): Promise<boolean> {
    if (!this.connected || (this.connection.info?.max_payload ?? 0) < REQUIRED_MAX_PAYLOAD_BYTES) return false;
    await this.connection.rtt();
    return true;
  }

  /**
   * Sends a request and resolves with its last reply. Throws the ApiError that the handler threw; PAYLOAD_TOO_LARGE when the request exceeds
   * the `max_payload` of NATS, and INTERNAL when its reply does; or UNAVAILABLE when there is no reply within `timeout` milliseconds, no
   * service handles the subject or NATS is away. After UNAVAILABLE the request may or may not have taken effect (see `wasNotReceived`).
   * `onPartial` receives the replies before the last one; what it throws ends the call. The requests of a tenant share its part of the service's
   * memory, unless `memoryShare` names another, and of its database connections; where the contract says so, one replica gets them while it answers.
   */
  async call<Request, Reply>(
    contract: RpcSubject<Request, Reply>,
    request: Request,
    { timeout = this.timeout, ...options }: RpcCallOptions<Reply> = {},
  ): Promise<Reply> {
    const { subject } = contract;
    if (!this.connected) throw this.reportFailure(subject, unreceivedFault(NATS_AWAY_MESSAGE));
    const packet = writePacket({ pattern: subject, data: request, id: subject }, requestHeaders());
    const sent = { ...options, timeout, tenant: currentTenant() ?? options.tenant };
    const replied = contract.replicas
      ? this.requestOfTenant<Reply>(contract, contract.replicas, { packet, ...sent })
      : this.request<Reply>(subject, { packet, ...sent });
    const reply = await replied.catch((error: unknown) => {
      throw this.reportFailure(subject, connectionFault(error));
    });
    if (!reply) throw this.reportFailure(subject, new ApiError('UNAVAILABLE', noAnswerTo(subject)));
    const { response, err } = reply;
    if (err) throw this.reportFailure(subject, ApiError.fromWire(err));
    return response;
  }

  /**
   * Publishes a notification to all subscribers, after the replies that this turn of the event loop sends. Notifications are
   * lossy (see `EventSubject`): while NATS is away they are dropped.
   */
  notify<Body>({ subject }: EventSubject<Body>, body: Body): void {
    const packet = JSON.stringify({ pattern: subject, data: body });
    const sent = requestHeaders();
    atEndOfTurn(() => {
      if (!this.connected) return;
      try {
        this.connection.publish(subject, packet, { headers: sent });
      } catch {
        // The connection is closed; the notification is dropped, because a lost one must not end the service.
      }
    });
  }

  /** Subscribes to a notification outside of a Nest controller. Returns a function that unsubscribes. */
  subscribe<Body>({ subject }: EventSubject<Body>, listener: (body: Body) => void): () => void {
    return this.subscriptions.add(subject, {
      callback: (error, message) => {
        if (!error) listener(message.json<{ data: Body }>().data);
      },
    });
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all([this.inbox, ...this.leftInboxes].map((inbox) => inbox.close()));
  }

  /** Sends a request to the replica of its tenant; to another one when that one is gone or could not carry out another request of the tenant. */
  private async requestOfTenant<Reply>(
    contract: { subject: string },
    notification: EventSubject<ReplicaNotice>,
    sent: SentRequest<Reply>,
  ): Promise<ReplyPacket<Reply> | undefined> {
    const { tenant } = sent;
    const replicas = this.announcements.replicasAnnouncedBy(notification);
    const replica = tenant === undefined ? undefined : replicas.of(tenant);
    if (tenant === undefined || replica === undefined) return this.request(contract.subject, sent);
    try {
      const reply = await this.request(subjectAt(replica, contract), sent);
      if (!reply) replicas.avoid(tenant, replica);
      else if (reply.err?.code === 'UNAVAILABLE') replicas.avoid(tenant);
      return reply;
    } catch (error) {
      if (!wasNotReceived(error)) throw error;
      replicas.forget(replica);
      return this.request(contract.subject, sent);
    }
  }

  /**
   * Sends a request and resolves with its last reply, or with undefined when that does not arrive in time or before `close`. Rejects when the request
   * cannot be sent, its reply cannot be read, `onPartial` throws, or no service subscribes to the subject.
   */
  private request<Reply>(
    subject: string,
    { packet, timeout, onPartial, tenant, memoryShare, raw = false }: SentRequest<Reply>,
  ): Promise<ReplyPacket<Reply> | undefined> {
    return new Promise((resolve, reject) => {
      const onReply = (message: Msg | 'unreceived' | 'tooLarge' | 'missing'): boolean => {
        try {
          if (message === 'tooLarge') throw new ApiError('PAYLOAD_TOO_LARGE', `The request ${subject} is too large.`);
          if (message === 'unreceived') throw unreceivedFault(noAnswerTo(subject));
          const reply = message === 'missing' ? undefined : readReply<Reply>(message, raw);
          if (onPartial && reply && !reply.isDisposed) {
            onPartial(reply.response);
            return true;
          }
          resolve(reply);
        } catch (error) {
          reject(error);
        }
        return false;
      };
      const sent = addTenantHeaders(packet, tenant, memoryShare);
      this.inbox.request(subject, packet.data, { timeout, headers: sent, onReply });
    });
  }

  /** Reports a failed call to the listener; returns the error. */
  private reportFailure(subject: string, error: unknown): unknown {
    this.options.onFailure?.(subject, error instanceof ApiError ? error.code : 'INTERNAL');
    return error;
  }

  private async trackConnection(): Promise<void> {
    const { connection } = this;
    const refusedRights = new RefusedRights((text) => this.options.logger?.error(text));
    let reasonDueAt = Infinity;
    for await (const status of connection.status()) {
      if (status.type === 'staleConnection') closeStale(connection);
      if (status.type === 'error') refusedRights.add(status.error);
      if (connection !== this.connection) continue;
      if (status.type === 'ldm') void this.leaveNode();
      // Logged only once, although each failed attempt to reconnect emits another `disconnect`.
      if (status.type === 'disconnect' && this.isUp) {
        this.isUp = false;
        reasonDueAt = performance.now() + REASON_DELAY_MS;
        this.options.logger?.warn({ server: status.server }, 'the connection to NATS is lost; the service reconnects');
      }
      if (status.type === 'disconnect' && performance.now() >= reasonDueAt) {
        reasonDueAt = Infinity;
        void logRefusal(connectionOptions(this.url, this.name), this.options.logger);
      }
      if (status.type === 'reconnect') {
        this.isUp = true;
        this.announcements.forgetAll();
        this.subscriptions.subscribeAgain();
        this.options.logger?.warn({ server: status.server }, 'the connection to NATS is back');
      }
    }
  }

  /** Sends further requests to another node. The replies to those in flight still arrive over the first connection, which then closes. */
  private async leaveNode(): Promise<void> {
    const { connection: left, inbox } = this;
    const next = await connectElsewhere(connectionOptions(this.url, this.name));
    if (!next) return;
    if (this.isClosing || left !== this.connection) return next.close();
    this.connection = next;
    this.inbox = new ReplyInbox(next, inboxPrefix(this.url));
    // Announcements were missed if the first connection was lost meanwhile.
    if (!this.isUp) this.announcements.forgetAll();
    this.isUp = true;
    this.leftInboxes.add(inbox);
    void this.trackConnection();
    await this.subscriptions.moveTo(next);
    await inbox.drain();
    await inbox.close();
    this.leftInboxes.delete(inbox);
  }
}

function readReply<Reply>(message: Msg, raw: boolean): ReplyPacket<Reply> {
  const reply: ReplyPacket<Reply> = Object(readPacket(message, { raw }));
  return reply;
}

/** UNAVAILABLE in place of an error that says that the connection is away; any other error unchanged. */
function connectionFault(error: unknown): unknown {
  const away =
    error instanceof errors.ConnectionError ||
    error instanceof errors.ClosedConnectionError ||
    error instanceof errors.DrainingConnectionError;
  return away ? unreceivedFault(NATS_AWAY_MESSAGE) : error;
}

function unreceivedFault(message: string): ApiError {
  const fault = new ApiError('UNAVAILABLE', message);
  unreceivedFaults.add(fault);
  return fault;
}

function noAnswerTo(subject: string): string {
  return `No service answered ${subject} in time; try again.`;
}
