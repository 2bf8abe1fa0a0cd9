import type { NextFunction, Request, Response } from 'express';
import type { Socket } from 'node:net';

const latestResponses = new WeakMap<Socket, Response>();

/**
 * Handles the requests of one connection one after the other: Node begins all requests that a client has sent before it got its first answer,
 * which lets one connection send any number of requests at a time.
 */
export function awaitPreviousAnswer({ socket }: Request, response: Response, next: NextFunction): void {
  const previous = latestResponses.get(socket);
  latestResponses.set(socket, response);
  if (!previous || previous.closed) return next();
  previous.once('close', () => {
    if (!socket.destroyed) next();
  });
}
