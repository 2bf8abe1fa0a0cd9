import { newRequestID, REQUEST_ID_HEADER, withRequestID } from '@batuta/observability';
import type { IncomingMessage, ServerResponse } from 'node:http';

const WELL_FORMED_ID = /^[\x21-\x7e]{1,64}$/;

/**
 * The first middleware: gives the request its id, which is the caller's own `X-Request-Id` if that consists of 1 to 64
 * visible ASCII characters. The answer, every log line and every message to another service carry the id.
 */
export function assignRequestID(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const sent = request.headers['x-request-id'];
  const id = typeof sent === 'string' && WELL_FORMED_ID.test(sent) ? sent : newRequestID();
  response.setHeader(REQUEST_ID_HEADER, id);
  withRequestID(id, next);
}
