import {
  checkProxiedHost,
  guardedSocket,
  NO_PROXIES,
  proxyFor,
  type HostRules,
  type ProxySettings,
} from '@batuta/network';
import { lookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import { StepError } from '../step-error';
import { StepHostRefusedError } from './agent-host-rules';

/**
 * How connectors other than HTTP reach a host. Every way throws StepHostRefusedError for a host that the rules refuse.
 */
export interface HostAccess {
  /**
   * A permitted address of the host, for a driver that opens its sockets itself. Give the driver this address instead of the
   * name, which it would resolve again, and the name for the check of the server's certificate.
   */
  addressOf(host: string, port: number): Promise<string>;
  /** A TCP connection that is being opened, for a driver that takes a socket. */
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
    addressOf: async (host, port) => {
      rules.checkName(host, port);
      const [address] = rules.permitted(host, port, await addressesOf(host));
      if (address === undefined) throw new StepHostRefusedError(`the name "${host}" has no address`);
      return address;
    },
  };
}

async function addressesOf(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new StepError(`the name "${host}" has no address: ${error instanceof Error ? error.message : String(error)}`);
  }
}
