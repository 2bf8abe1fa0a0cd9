import { isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const IPV6_NETWORK_GROUPS = 4;
const IPV4_WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/;
const BRACKETED_IPV6 = /^\[([^\]]*)\](?::\d+)?$/;

/** The address of a client without the port, which some proxies add in `X-Forwarded-For` and which differs for each connection. */
export function withoutPort(address: string): string {
  return IPV4_WITH_PORT.exec(address)?.[1] ?? BRACKETED_IPV6.exec(address)?.[1] ?? address;
}

/**
 * The key under which failures of an address are counted: an IPv4 address itself, and the /64 network of an IPv6 address, since one host
 * usually owns a whole /64. A port does not count. An unknown address has the key ''.
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return '';
  const host = withoutPort(address);
  const ipv4 = MAPPED_IPV4.exec(host)?.[1];
  if (ipv4 !== undefined) return ipv4;
  return isIPv6(host) ? networkOf(host) : host;
}

function networkOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(Math.max(0, gap)).fill('0'), ...after];
  return groups
    .slice(0, IPV6_NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
