import { isIPv4, isIPv6 } from 'node:net';
import { isInNetwork, networkOf } from './host-rule';

/**
 * Networks that are not part of the public internet: the special-purpose registries of IANA for IPv4 and IPv6. IPv6 networks that
 * embed IPv4 addresses (6to4, Teredo, translation) are among them, because a relay could forward to a private IPv4 address.
 */
const NOT_PUBLIC = [
  networkOf('0.0.0.0', 8),
  networkOf('10.0.0.0', 8),
  networkOf('100.64.0.0', 10),
  networkOf('127.0.0.0', 8),
  networkOf('169.254.0.0', 16),
  networkOf('172.16.0.0', 12),
  networkOf('192.0.0.0', 24),
  networkOf('192.0.2.0', 24),
  networkOf('192.88.99.0', 24),
  networkOf('192.168.0.0', 16),
  networkOf('198.18.0.0', 15),
  networkOf('198.51.100.0', 24),
  networkOf('203.0.113.0', 24),
  networkOf('224.0.0.0', 3),
  networkOf('64:ff9b:1::', 48),
  networkOf('2001::', 23),
  networkOf('2001:db8::', 32),
  networkOf('2002::', 16),
  networkOf('3fff::', 20),
];
/** The IPv6 addresses of the public internet (global unicast). */
const PUBLIC_IPV6 = networkOf('2000::', 3);
/**
 * IPv6 addresses that stand for an IPv4 address behind NAT64 (RFC 6052). NOT_PUBLIC contains those of its IPv4 networks, because `networkOf`
 * adds them.
 */
const NAT64 = networkOf('64:ff9b::', 96);
/** IPv4 addresses in the spelling of IPv6. */
const MAPPED_IPV4 = networkOf('::ffff:0:0', 96);

/** Whether an address belongs to the public internet; false for undefined, an address that is not known. */
export function isPublic(address: string | undefined): boolean {
  if (address === undefined || NOT_PUBLIC.some((network) => isInNetwork(network, address))) return false;
  if (isIPv4(address)) return true;
  return isIPv6(address) && [PUBLIC_IPV6, NAT64, MAPPED_IPV4].some((network) => isInNetwork(network, address));
}
