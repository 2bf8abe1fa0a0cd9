import {
  checkProxiedHost,
  guardedSocket,
  NO_PROXIES,
  proxyFor,
  type HostRules,
  type ProxySettings,
} from '@batuta/network';
import type { Socket } from 'node:net';

/**
 * How steps reach hosts, beside their `fetch`. `openSocket`, and `proxyFor` for an address that has a proxy, throw StepHostRefusedError for
 * a host that the rules refuse as it is written.
 */
export interface HostAccess {
  /**
   * A TCP connection that is being opened, for a driver that takes a socket. It fails with StepHostRefusedError if the rules refuse the
   * addresses to which the name resolves.
   */
  openSocket(host: string, port: number): Socket;
  /**
   * The agent's proxy for an http or https address; undefined where the agent connects directly. A proxy resolves names by
   * itself: only the name, or an address in its place, is checked.
   */
  proxyFor(address: string | URL): string | undefined;
}

export function hostAccess(rules: HostRules, proxies: ProxySettings = NO_PROXIES): HostAccess {
  return {
    proxyFor: (address) => {
      const proxy = proxyFor(address, proxies);
      if (proxy !== undefined) checkProxiedHost(rules, new URL(address));
      return proxy;
    },
    openSocket: (host, port) => guardedSocket(rules, host, port),
  };
}
