import { IncomingMessage, type IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';

/** A request that has arrived whole, in these pieces. */
export function requestWith(pieces: Uint8Array[], headers: IncomingHttpHeaders = {}): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  for (const piece of [...pieces, null]) request.push(piece);
  return request;
}
