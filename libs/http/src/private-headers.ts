import type { IncomingMessage, ServerResponse } from 'node:http';

/** Middleware: sets the headers that forbid caches to keep an answer, which may hold a secret, and browsers to guess its type. */
export function setPrivateHeaders(_: IncomingMessage, response: ServerResponse, next: () => void): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  next();
}
