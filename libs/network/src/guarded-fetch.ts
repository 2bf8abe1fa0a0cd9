import type { Dispatcher } from 'undici';
import type * as guarded from './guarded-dispatcher';
import type { ResolveHost } from './guarded-socket';
import { refusalIn, type HostRules } from './host-rules';
import { NO_PROXIES, type ProxySettings } from './proxy';

/**
 * A `fetch` whose every connection, also that of each redirect, goes only where the rules permit, or to the proxy for it. Rejects
 * with the refusal of the rules otherwise. Its packages are loaded at the first call: they take half of the time that a process of
 * the agent needs to be ready.
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
