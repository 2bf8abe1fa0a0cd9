import { guardedFetch } from '@batuta/guarded-fetch';
import type { ProxySettings } from '@batuta/network';
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { BrowserSettings } from '../find-browser';
import type { Effects } from '../execution/effects';
import { StoppedError } from '../step-error';
import { hostAccess } from '../network/host-access';
import { agentHostRules } from '../network/agent-host-rules';
import { TesseractReader } from '../ocr/picture-reader';
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
  'code' | 'fetch' | 'hostAccess' | 'browser' | 'pictures' | 'now' | 'monotonicNow' | 'random' | 'sleep' | 'stepLimit'
>;

export function commonEffects({ hosts, proxies, stepLimit, browser }: FlowSettings, code: CodeRunner): CommonEffects {
  const rules = agentHostRules(hosts);
  return {
    code,
    fetch: guardedFetch(rules, proxies),
    hostAccess: hostAccess(rules, proxies),
    browser,
    pictures: new TesseractReader(),
    now: Date.now,
    monotonicNow: () => Math.round(performance.now()),
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

async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleepFor(milliseconds, undefined, { signal });
  } catch {
    throw new StoppedError();
  }
}
