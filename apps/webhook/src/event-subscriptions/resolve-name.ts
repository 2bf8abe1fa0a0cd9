import type { ResolveHost } from '@batuta/network';
import { lookup, NODATA, Resolver, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';

/** `timeout` in milliseconds. Two tries together are shorter than the default of EVENT_TIMEOUT_MS. */
const resolver = new Resolver({ timeout: 2_000, tries: 2 });
/** How long the IPv4 addresses of a name wait for its IPv6 addresses: some name servers answer no question for these. */
const MAX_IPV6_WAIT_MS = 500;

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
  let timer: NodeJS.Timeout | undefined;
  let isSettled = false;
  const finish = () => {
    clearTimeout(timer);
    if (!isSettled) done(found.length > 0 ? null : failure, [...found]);
    isSettled = true;
  };
  const settle = (family: number) => (error: NodeJS.ErrnoException | null, addresses: string[]) => {
    if (error && (failure === null || failure.code === NODATA)) failure = error;
    if (!error) found.push(...addresses.map((address) => ({ address, family })));
    pending -= 1;
    if (pending === 0) finish();
    else if (family === 4 && found.length > 0) timer = setTimeout(finish, MAX_IPV6_WAIT_MS);
  };
  resolver.resolve4(host, settle(4));
  resolver.resolve6(host, settle(6));
};
