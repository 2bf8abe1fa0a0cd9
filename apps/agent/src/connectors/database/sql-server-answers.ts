import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';

/**
 * Ends a connection of the package tedious with the error of an answer that the package cannot read. The package reads answers by a stream
 * without a listener of errors, and throws in its other listeners: each would end the process.
 */
export function reportUnreadable(connection: object): void {
  const create: unknown = Reflect.get(connection, 'createTokenStreamParser');
  if (typeof create !== 'function') throw new Error('the driver has no createTokenStreamParser');
  Reflect.set(connection, 'createTokenStreamParser', (...given: unknown[]) => {
    const parser: unknown = Reflect.apply(create, connection, given);
    const tokens: unknown = Reflect.get(Object(parser), 'parser');
    if (!(parser instanceof EventEmitter && tokens instanceof Readable)) throw new Error('the driver has no parser');
    for (const event of ['data', 'end']) destroyWhenListenersThrow(tokens, event);
    tokens.on('error', (error) => endConnection(connection, parser, error));
    return parser;
  });
}

/**
 * Lets the package mssql report the error of a COMMIT that the server has answered with a rollback: the package would forget the connection at
 * the rollback, and then throw because it is missing.
 */
export function keepConnectionAtCommit(transaction: object): void {
  const connection: unknown = Reflect.get(transaction, '_acquiredConnection');
  if (connection instanceof EventEmitter) connection.removeAllListeners('rollbackTransaction');
}

function destroyWhenListenersThrow(tokens: Readable, event: string): void {
  const listeners = tokens.listeners(event);
  tokens.removeAllListeners(event).on(event, (...given: unknown[]) => {
    try {
      for (const listener of listeners) Reflect.apply(listener, tokens, given);
    } catch (error) {
      tokens.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

function endConnection(connection: object, parser: EventEmitter, error: Error): void {
  // A login waits for its parser only. The wait for the answer to a cancellation rethrows the error outside of every caller.
  const isCancelling = Reflect.get(connection, 'attentionSent') === true;
  if (!isCancelling && parser.listenerCount('error') > 0) parser.emit('error', error);
  const socket: unknown = Reflect.get(connection, 'socket');
  if (socket instanceof Readable) socket.destroy(error);
}
