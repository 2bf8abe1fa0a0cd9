import { setTimeout as sleepFor } from 'node:timers/promises';
import type { BrowserSettings } from '../connectors/browser/find-browser';
import type { Effects } from '../flow/effects';
import { StoppedError } from '../flow/step-error';
import type * as guarded from '../network/guarded-fetch';
import { hostAccess } from '../network/host-access';
import { HostRules } from '../network/host-rules';
import { TesseractReader } from '../ocr/picture-reader';
import type { ProxySettings } from '../network/proxy';
import { SANDBOX_DEFAULTS, type CodeRunner, type SandboxSettings } from '../sandbox';

/** The part of the agent's settings that a flow depends on. */
export interface FlowSettings {
  hosts: { allow: string[]; deny: string[] };
  proxies: ProxySettings;
  stepLimit: number;
  browser: BrowserSettings;
}

/** The effects that depend only on the settings; the others belong to one execution. */
export type CommonEffects = Pick<
  Effects,
  'code' | 'fetch' | 'hosts' | 'browser' | 'pictures' | 'now' | 'random' | 'sleep' | 'stepLimit'
>;

export function commonEffects({ hosts, proxies, stepLimit, browser }: FlowSettings, code: CodeRunner): CommonEffects {
  const rules = HostRules.of(hosts);
  return {
    code,
    fetch: lazyFetch(rules, proxies),
    hosts: hostAccess(rules, proxies),
    browser,
    pictures: new TesseractReader(),
    now: Date.now,
    random: Math.random,
    sleep,
    stepLimit,
  };
}

export function sandboxSettings(sandbox: {
  workers: number;
  memoryMegabytes: number;
  expressionSeconds: number;
  scriptSeconds: number;
}): SandboxSettings {
  return {
    ...SANDBOX_DEFAULTS,
    workers: sandbox.workers,
    memoryBytes: sandbox.memoryMegabytes * 1024 * 1024,
    expressionMilliseconds: sandbox.expressionSeconds * 1000,
    scriptMilliseconds: sandbox.scriptSeconds * 1000,
  };
}

/** A `fetch` whose packages are loaded at the first call: they take half of the time that a process needs to be ready. */
function lazyFetch(rules: HostRules, proxies: ProxySettings): typeof fetch {
  let loaded: typeof fetch | undefined;
  return (input, init) => {
    if (!loaded) {
      const { guardedFetch }: typeof guarded = require('../network/guarded-fetch');
      loaded = guardedFetch(rules, proxies);
    }
    return loaded(input, init);
  };
}

async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleepFor(milliseconds, undefined, { signal });
  } catch {
    throw new StoppedError();
  }
}
