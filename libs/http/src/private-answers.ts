import type { IncomingMessage, ServerResponse } from 'node:http';

/** Middleware: no cache keeps an answer, which may hold a secret, and no browser takes it for another type than it says. */
export function privateAnswers(_: IncomingMessage, response: ServerResponse, next: () => void): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  next();
}
