import type { ResolveHost } from '@batuta/network';
import { lookup, NODATA, Resolver, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';

/** `timeout` in milliseconds. Two tries together are shorter than the default of EVENT_TIMEOUT_MS. */
const resolver = new Resolver({ timeout: 2_000, tries: 2 });

/** Resolves a name as the system does, with the hosts file and the search domains. */
export const resolveWithSystem: ResolveHost = (host, options, done) => lookup(host, options, done);

/**
 * Resolves a name that a tenant chose. `dns.lookup` would use one of the four threads that the service has for all
 * files and names, and a few names with slow servers would block these threads for everybody.
 */
export const resolvePublicName: ResolveHost = (host, _options, done) => {
  const version = isIP(host);
  if (version !== 0) return done(null, [{ address: host, family: version }]);
  const found: LookupAddress[] = [];
  let failure: NodeJS.ErrnoException | null = null;
  let pending = 2;
  const settle = (family: number) => (error: NodeJS.ErrnoException | null, addresses: string[]) => {
    if (error && (failure === null || failure.code === NODATA)) failure = error;
    if (!error) found.push(...addresses.map((address) => ({ address, family })));
    pending -= 1;
    if (pending === 0) done(found.length > 0 ? null : failure, found);
  };
  resolver.resolve4(host, settle(4));
  resolver.resolve6(host, settle(6));
};
