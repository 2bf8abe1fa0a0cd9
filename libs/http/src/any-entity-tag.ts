import type { IncomingMessage, ServerResponse } from 'node:http';

/** Middleware: ignores `If-None-Match: *`, with which Express would answer every GET with 304, also one that has no ETag. */
export function ignoreAnyEntityTag({ headers }: IncomingMessage, _: ServerResponse, next: () => void): void {
  if (headers['if-none-match'] === '*') delete headers['if-none-match'];
  next();
}
