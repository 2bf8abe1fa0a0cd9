import { isNativeError } from 'node:util/types';
import { Agent, buildConnector } from 'undici';
import { HostRefusedError, type HostRules } from './host-rules';
import { guardedSocket, type Resolve } from './guarded-socket';

/**
 * `fetch` for steps: every connection, also that of each redirect, goes only where the rules permit. Rejects with
 * HostRefusedError otherwise.
 */
export function guardedFetch(rules: HostRules, resolve?: Resolve): typeof fetch {
  const dispatcher = new Agent({ connect: guardedConnector(rules, resolve) });
  return async (input, init) => {
    try {
      return await fetch(input, { ...init, dispatcher });
    } catch (error) {
      throw refusalIn(error) ?? error;
    }
  };
}

function guardedConnector(rules: HostRules, resolve: Resolve | undefined): buildConnector.connector {
  const startTls = buildConnector({});
  return (options, callback) => {
    const isTls = options.protocol === 'https:';
    try {
      const port = Number(options.port) || (isTls ? 443 : 80);
      const socket = guardedSocket(rules, options.hostname, port, resolve);
      const failed = (error: Error) => callback(error instanceof HostRefusedError ? plainError(error) : error, null);
      socket.setNoDelay(true).setKeepAlive(true, 60_000).once('error', failed);
      socket.once('connect', () => {
        socket.off('error', failed);
        if (isTls) startTls({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      });
    } catch (error) {
      callback(plainError(error), null);
    }
  };
}

/** fetch passes on a plain Error as its cause, but may replace errors of other classes by their text. */
function plainError(error: unknown): Error {
  return new Error('the connection was not made', { cause: error });
}

/** The reason of fetch's error, also among the failed attempts at several addresses. */
function refusalIn(error: unknown): HostRefusedError | undefined {
  if (error instanceof HostRefusedError) return error;
  if (error instanceof AggregateError) return error.errors.map(refusalIn).find((refusal) => refusal !== undefined);
  return isNativeError(error) && error.cause !== undefined ? refusalIn(error.cause) : undefined;
}
