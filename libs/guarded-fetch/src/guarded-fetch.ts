import type { Dispatcher } from 'undici';
import type * as guarded from './guarded-dispatcher';
import { NO_PROXIES, refusalIn, type HostRules, type ProxySettings, type ResolveHost } from '@batuta/network';

/**
 * Makes a `fetch` that connects only to hosts that the rules permit, directly or through their proxy, also after a redirect. It rejects
 * with the refusal of the rules otherwise. Only the signal of a call limits its time.
 * It loads its packages at the first call, because loading them would double the time in which a program of the agent becomes ready.
 */
export function guardedFetch(
  rules: HostRules,
  proxies: ProxySettings = NO_PROXIES,
  resolve?: ResolveHost,
): typeof fetch {
  let dispatcher: Dispatcher | undefined;
  return async (input, init) => {
    if (!dispatcher) {
      const { guardedDispatcher }: typeof guarded = require('./guarded-dispatcher');
      dispatcher = guardedDispatcher(rules, proxies, resolve);
    }
    try {
      return await fetch(input, { ...init, dispatcher });
    } catch (error) {
      throw refusalIn(error) ?? error;
    }
  };
}
