import { certificateEnd, hostsOf, splitHosts } from '@batuta/network';
import type { Logger } from '@batuta/observability';
import { connect, errors, type ConnectionOptions, type NatsConnection, type Server } from '@nats-io/transport-node';

const RECONNECT_INTERVAL_MS = 250;
/** A connection whose server disappeared or hangs is closed after two unanswered pings, within three seconds. */
const PING_INTERVAL_MS = 1_000;
const MAX_UNANSWERED_PINGS = 2;
/** Time limit for connecting to one server; after it the client tries the next node of a cluster. */
const CONNECT_TIME_LIMIT_MS = 3_000;

/** Minimum `max_payload` of the NATS server in bytes: webhook bodies, values and reports are sent as single messages. */
export const REQUIRED_MAX_PAYLOAD_BYTES = 8 * 1024 * 1024;

/** Whether the NATS client has refused to publish a message because of its size. */
export function exceedsMaxPayload(error: unknown): boolean {
  return error instanceof errors.InvalidArgumentError;
}

/** Matches a user name that can be one token of a subject: it has no dots and no wildcards. */
const SUBJECT_SAFE_USER = /^[\w-]+$/;

/**
 * The beginning of the subjects on which the user of the URL receives replies: `_INBOX.gateway` for the user `gateway`, so that the
 * server can keep every other user from reading them; `_INBOX` without a user, or for one whose name is no token of a subject.
 */
export function inboxPrefix(url: string): string {
  const { username } = new URL(splitHosts(url).url);
  return SUBJECT_SAFE_USER.test(username) ? `_INBOX.${username}` : '_INBOX';
}

/**
 * Options for a URL `nats://user:password@host:port` or `tls://…`, which may name several hosts: the connection waits for a server and
 * reconnects without end. `name` appears in the server's list of clients.
 */
export function connectionOptions(url: string, name: string): ConnectionOptions {
  const { protocol, username, password } = new URL(splitHosts(url).url);
  return {
    servers: hostsOf(url),
    reconnectToServer: leastRecentlyDialed,
    name,
    inboxPrefix: inboxPrefix(url),
    user: username === '' ? undefined : decodeURIComponent(username),
    pass: password === '' ? undefined : decodeURIComponent(password),
    tls: protocol === 'tls:' ? {} : undefined,
    maxReconnectAttempts: -1,
    timeout: CONNECT_TIME_LIMIT_MS,
    reconnectTimeWait: RECONNECT_INTERVAL_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: MAX_UNANSWERED_PINGS,
    waitOnFirstConnect: true,
    ignoreAuthErrorAbort: true,
    // Otherwise the client would record two stack traces per request, for an error that is rare.
    noAsyncTraces: true,
  };
}

/**
 * Connects with the `connectionOptions`. When no server accepts the first attempt, logs a warning that says why, and another one once it is
 * connected.
 */
export async function connectAndWait(url: string, name: string, logger?: Logger): Promise<NatsConnection> {
  const options = connectionOptions(url, name);
  let waits = false;
  const connection = await connect({
    ...options,
    reconnectToServer(servers) {
      const next = leastRecentlyDialed(servers);
      // Each server has been dialed in vain. The client keeps the errors to itself while it waits for the first connection.
      if (!waits && next !== null && next.lastConnect > 0 && !servers.some(({ didConnect }) => didConnect)) {
        waits = true;
        void logRefusal(options, logger);
      }
      return next;
    },
  });
  if (waits) logger?.warn({ server: connection.getServer() }, 'the service is connected to NATS now');
  return connection;
}

/**
 * Opens a second connection for a client whose node announces that it stops (status `ldm`). Such a node takes no more clients, so the connection
 * is to another node. Undefined when no node accepts it: the client then reconnects when its node closes the first connection.
 */
export function connectElsewhere(options: ConnectionOptions): Promise<NatsConnection | undefined> {
  return connect({ ...options, waitOnFirstConnect: false }).catch(() => undefined);
}

/** Dials each server once more to learn its error, which the client keeps to itself, and logs it. */
export async function logRefusal(options: ConnectionOptions, logger?: Logger): Promise<void> {
  try {
    const connection = await connect({ ...options, waitOnFirstConnect: false });
    await connection.close();
  } catch (error) {
    logger?.warn({ err: error, servers: options.servers }, 'NATS accepts no connection; the service waits for it');
  }
}

/**
 * Closes a connection for good. The NATS client alone would finish an attempt to reconnect that has begun: the connection would return with
 * its subscriptions, and stay.
 */
export async function closeConnection(connection: NatsConnection): Promise<void> {
  await connection.close();
  // The library's types hide the transport and the attempt.
  const { protocol } = Object(connection);
  const discard = () => {
    protocol.heartbeats.cancel();
    protocol.transport.discard();
  };
  discard();
  void protocol.connectPromise?.then(discard, discard);
}

/**
 * Closes the socket of a connection whose pings are not answered (status `staleConnection`). The NATS client first waits until
 * the socket has sent all written bytes, which never happens while packets are lost.
 */
export function closeStale(connection: NatsConnection): void {
  // The library's types hide the socket.
  Object(connection).protocol?.transport?.socket?.destroy();
}

/** End of the validity of the node's certificate, in epoch milliseconds; undefined when the connection shows none. */
export function certificateEndOf(connection: NatsConnection): number | undefined {
  // The library's types hide the socket.
  return certificateEnd(Object(connection).protocol?.transport?.socket);
}

/** The node to which the last attempt to connect was longest ago. The client's default would be the node that it has just lost. */
function leastRecentlyDialed(servers: readonly Readonly<Server>[]): Readonly<Server> | null {
  return servers.toSorted((one, other) => one.lastConnect - other.lastConnect)[0] ?? null;
}
