import { parseHostRule, canonicalHost } from './host-rule';
import { isIP } from 'node:net';

export interface ProxySettings {
  /** The proxy for http:// and ws:// addresses. */
  http: string | undefined;
  /** The proxy for https:// and wss:// addresses. */
  https: string | undefined;
  /** Hosts that are reached directly, as in NO_PROXY: a name includes all names below it. */
  none: string[];
}

export const NO_PROXIES: ProxySettings = { http: undefined, https: undefined, none: [] };

/** The proxy for an address; undefined where the program connects directly. */
export function proxyFor(address: string | URL, proxies: ProxySettings): string | undefined {
  const { protocol, hostname, port } = new URL(address);
  const isTls = protocol === 'https:' || protocol === 'wss:';
  const proxy = isTls ? proxies.https : proxies.http;
  const host = canonicalHost(hostname) ?? hostname;
  const target = { host, port: Number(port) || (isTls ? 443 : 80), address: isIP(host) === 0 ? undefined : host };
  const rules = proxies.none.flatMap((entry) => [
    entry.replace(/^\*?\./, ''),
    entry.replace(/^(\*?\.)?(?=.*[a-z])/i, '*.'),
  ]);
  return rules.some((rule) => parseHostRule(rule)?.matches(target)) ? undefined : proxy;
}
