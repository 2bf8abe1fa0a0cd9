import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { connect, isIP, type Socket } from 'node:net';
import type { HostRules } from './host-rules';

/**
 * Time limit of opening a TCP connection, the resolution of the name included, and of the silence of a proxy that is asked for a tunnel; then
 * ETIMEDOUT.
 */
export const CONNECT_TIME_LIMIT_MS = 10_000;

/** The form of `dns.lookup` with all addresses. */
export type ResolveHost = (
  host: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A TCP connection to an address that the rules permit. The rules check the same addresses of a name to which the socket connects. The
 * refusal of an IP address, or of a name whatever its addresses are, is thrown and resolves no name; a refusal for an address of a name
 * destroys the socket.
 */
export function guardedSocket(
  rules: HostRules,
  host: string,
  port: number,
  resolve: ResolveHost = systemLookup,
): Socket {
  if (isIP(host) !== 0) rules.permittedAddresses(host, port);
  else rules.checkName(host, port);
  const socket = connect({
    host,
    port,
    autoSelectFamily: true,
    lookup: (name, options, done) => {
      resolve(name, { ...options, all: true }, (error, found) => {
        if (error) return done(error, []);
        try {
          const permitted = rules.permittedAddresses(
            name,
            port,
            found.map(({ address }) => address),
          );
          const addresses = found.filter(({ address }) => permitted.includes(address));
          if (options.all) done(null, addresses);
          else done(null, addresses[0]?.address ?? '', addresses[0]?.family);
        } catch (refusal) {
          done(refusal instanceof Error ? refusal : new Error(String(refusal)), []);
        }
      });
    },
  });
  const late = () =>
    Object.assign(new Error(`no connection to ${host} within ${CONNECT_TIME_LIMIT_MS} ms`), { code: 'ETIMEDOUT' });
  const timer = setTimeout(() => socket.destroy(late()), CONNECT_TIME_LIMIT_MS);
  // Without this listener, an error after the caller has stopped listening would end the program.
  socket.on('error', () => undefined);
  socket.once('connect', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  return socket;
}
