import type { NextFunction, Request, Response } from 'express';
import type { Server } from 'node:http';

/**
 * Middleware: once the server no longer listens, each answer closes its connection, so that clients with kept-alive
 * connections connect to another replica.
 */
export function closeConnections(server: Server) {
  return (_: Request, response: Response, next: NextFunction): void => {
    if (!server.listening) response.setHeader('Connection', 'close');
    next();
  };
}
