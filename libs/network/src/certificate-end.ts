import { TLSSocket } from 'node:tls';

/** The end of the validity of the server's certificate, in epoch milliseconds; undefined when the connection is not encrypted. */
export function certificateEnd(socket: unknown): number | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  // A connection that continues an earlier session may not show the certificate.
  const end = Date.parse(socket.getPeerCertificate().valid_to);
  return Number.isNaN(end) ? undefined : end;
}
