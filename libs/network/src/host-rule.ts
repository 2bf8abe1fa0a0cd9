import { BlockList, isIP, isIPv6 } from 'node:net';

/** The host and port to which a program wants to connect. */
export interface HostTarget {
  /** The host in the spelling of `canonicalHost`. */
  host: string;
  /** Undefined = any port. */
  port: number | undefined;
  /**
   * The IP address to which the name resolved, or that stands in its place; undefined for a name that is not resolved here or that a proxy
   * resolves.
   */
  address: string | undefined;
}

/** One entry of an allow or deny list. */
export interface HostRule {
  matches(target: HostTarget): boolean;
  /** The one host name or address that the entry consists of; undefined for wildcards and ranges. */
  exact?: string;
  /** Whether the address of a host decides and its name does not. */
  isOfAddresses?: boolean;
}

/** NAT64 (RFC 6052): the last 32 bits are the IPv4 address that such an address reaches. */
const NAT64_PREFIX = '64:ff9b::';
const NAT64_BITS = 96;
/** Connecting to "any address" connects to this machine. */
const LOOPBACK_OF_UNSPECIFIED: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Reads `host.example.com`, `*.example.com`, `*`, an IP address, or a range such as `10.0.0.0/8`; each may end in `:port`, with an
 * IPv6 address in brackets. Returns undefined for any other text.
 */
export function parseHostRule(text: string): HostRule | undefined {
  const trimmed = text.trim();
  if (isIPv6(trimmed.replace(/\/\d+$/, ''))) return ruleOf(trimmed, undefined);
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(trimmed) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port ?? 1) > 65_535) return undefined;
  return ruleOf(host, port === undefined ? undefined : Number(port));
}

/**
 * One spelling for each host: lower case, punycode, no final dot, IPv4 addresses with four decimal numbers, IPv6 addresses
 * compressed and without brackets and zone. Returns undefined if it is no host.
 */
export function canonicalHost(host: string): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, '$1').replace(/%[^%]*$/, (zone) => (host.includes(':') ? '' : zone));
  if (!isIPv6(bare) && !/^[^\s/?#@:\\[\]]+$/.test(bare)) return undefined;
  const address = `http://${isIPv6(bare) ? `[${bare}]` : bare}/`;
  if (!URL.canParse(address)) return undefined;
  return new URL(address).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '') || undefined;
}

/** A network as a list that also contains the IPv6 spellings (mapped, NAT64) of its IPv4 addresses. */
export function networkOf(address: string, bits: number): BlockList {
  const network = new BlockList();
  if (isIPv6(address)) network.addSubnet(address, bits, 'ipv6');
  else {
    network.addSubnet(address, bits, 'ipv4');
    network.addSubnet(NAT64_PREFIX + address, NAT64_BITS + bits, 'ipv6');
  }
  return network;
}

/** Whether the address is in the network; `0.0.0.0` and `::` count as loopback addresses too. False for a text that is no address. */
export function isInNetwork(network: BlockList, address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  const version = isIP(plain);
  if (version === 0) return false;
  const reached = LOOPBACK_OF_UNSPECIFIED[plain];
  return (
    network.check(plain, `ipv${version === 6 ? 6 : 4}`) || (reached !== undefined && isInNetwork(network, reached))
  );
}

function ruleOf(host: string, port: number | undefined): HostRule | undefined {
  const isPort = (target: HostTarget) => [undefined, target.port].includes(port) || target.port === undefined;
  if (host === '*') return { matches: isPort };
  const [base = '', bits] = host.split('/', 2);
  if (bits !== undefined) return rangeRule(base, Number(bits), isPort);
  if (host.startsWith('*.')) {
    const parent = canonicalHost(host.slice(2));
    return parent === undefined || parent.includes('*')
      ? undefined
      : { matches: (target) => isPort(target) && target.host.endsWith(`.${parent}`) };
  }
  const exact = canonicalHost(host);
  if (exact === undefined || exact.includes('*')) return undefined;
  const version = isIP(exact);
  if (version !== 0) {
    const range = rangeRule(exact, version === 6 ? 128 : 32, isPort);
    return range && { ...range, exact };
  }
  return { exact, matches: (target) => isPort(target) && target.host === exact };
}

function rangeRule(base: string, bits: number, isPort: (target: HostTarget) => boolean): HostRule | undefined {
  const version = isIP(base);
  if (version === 0 || !(bits <= (version === 6 ? 128 : 32))) return undefined;
  const network = networkOf(base, bits);
  return {
    isOfAddresses: true,
    matches: (target) => isPort(target) && target.address !== undefined && isInNetwork(network, target.address),
  };
}
