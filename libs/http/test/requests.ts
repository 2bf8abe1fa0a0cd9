import { IncomingMessage, type IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';

/** A request whose body has arrived completely, in these chunks. */
export function requestWith(chunks: Uint8Array[], headers: IncomingHttpHeaders = {}): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  for (const chunk of [...chunks, null]) request.push(chunk);
  return request;
}
