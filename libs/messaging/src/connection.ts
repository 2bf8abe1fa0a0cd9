import type { ConnectionOptions } from '@nats-io/transport-node';

const RECONNECT_MILLISECONDS = 250;
/** A server that vanished without a word, or hangs, is left after two of these were not answered. */
const PING_MILLISECONDS = 5_000;
const UNANSWERED_PINGS = 2;

/** Bytes of one message that every NATS server of ours must take: webhook bodies, values and logs travel whole. */
export const LEAST_MAX_PAYLOAD = 8 * 1024 * 1024;

/** `nats://user:password@host:port` (or `tls://…`) → options that wait for the server and come back for ever. */
export function connectionOptions(url: string, name: string): ConnectionOptions {
  const { protocol, host, username, password } = new URL(url);
  return {
    servers: host,
    name,
    user: username === '' ? undefined : decodeURIComponent(username),
    pass: password === '' ? undefined : decodeURIComponent(password),
    tls: protocol === 'tls:' ? {} : undefined,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MILLISECONDS,
    pingInterval: PING_MILLISECONDS,
    maxPingOut: UNANSWERED_PINGS,
    waitOnFirstConnect: true,
    ignoreAuthErrorAbort: true,
    // Otherwise each request takes two stack traces, a good part of its cost, for an error that almost never comes.
    noAsyncTraces: true,
  };
}
