import { TLSSocket } from 'node:tls';

/**
 * The end of the validity of the server's certificate, in epoch milliseconds; undefined when the connection is not encrypted, is closed, or
 * continues an earlier session that does not show the certificate.
 */
export function certificateEnd(socket: unknown): number | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  // The type of Node hides that a closed socket returns null.
  const end = Date.parse(Object(socket.getPeerCertificate()).valid_to);
  return Number.isNaN(end) ? undefined : end;
}
