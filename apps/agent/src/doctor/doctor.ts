import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { stepTypeNames } from '@batuta/flow';
import { runnableStepTypes } from '../abilities';
import type { AgentConfig } from '../config';
import { browserOf, type BrowserSettings } from '../find-browser';
import { AGENT_VERSION } from '../version';
import { checkBrowser } from './browser-check';
import { checkIsolation } from './isolation-check';
import { tableOf, type Finding } from './finding';
import { missingOcrPackages } from '../ocr/installation';
import {
  checkAbilities,
  checkDisk,
  checkPrivateKey,
  checkMemory,
  checkNode,
  checkOcr,
  existingFolder,
} from './machine-checks';
import { checkCertificate, checkClock, checkRouterConnection, checkRouterName, checkUpgrade } from './router-checks';

/** The settings that the agent would run with; `problem` is the message with which invalid settings are refused. */
export type DoctorSettings = { config: AgentConfig } | { problem: string };

export interface Diagnosis {
  version: string;
  /** Whether no check found a fault; a warning is none. */
  ok: boolean;
  checks: Finding[];
}

/**
 * Runs the checks. Those of the connection to the router end at their first fault (`checkWithConfig` says which check follows nevertheless);
 * with invalid settings only those run that need no settings.
 */
export async function diagnose(settings: DoctorSettings): Promise<Diagnosis> {
  const checks = [
    checkNode(process.versions.node),
    settingsFinding(settings),
    ...('config' in settings ? await checkWithConfig(settings.config) : []),
    checkAbilities(runnableStepTypes(browserOf(browserSettings(settings))), stepTypeNames()),
    checkOcr(missingOcrPackages()),
    await checkDisk('disk', tmpdir()),
  ];
  return { version: AGENT_VERSION, ok: checks.every(({ state }) => state !== 'fault'), checks };
}

export function diagnosisText(diagnosis: Diagnosis, asJson: boolean): string {
  return asJson ? `${JSON.stringify(diagnosis, undefined, 2)}\n` : tableOf(diagnosis.checks);
}

/** Once a check of the router has failed, the later ones say little and are left out. The clock is checked also after a refusal by the router. */
async function checkWithConfig(config: AgentConfig): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of [checkRouterName, checkRouterConnection, checkCertificate, checkUpgrade]) {
    findings.push(await check(config));
    if (findings.at(-1)?.state === 'fault') break;
  }
  if (findings.every(({ check, state }) => state !== 'fault' || check === 'router')) {
    findings.push(await checkClock(config, Date.now));
  }
  findings.push(await checkBrowser(config.browser));
  findings.push(checkPrivateKey(config.stateFolder));
  findings.push(checkMemory(config, process.availableMemory()));
  findings.push(await checkIsolation(config));
  if (config.logFile) findings.push(await checkDisk('log', existingFolder(dirname(config.logFile.path))));
  return findings;
}

/** The browser settings; if the settings are invalid, the defaults. */
function browserSettings(settings: DoctorSettings): BrowserSettings {
  return 'config' in settings ? settings.config.browser : { program: '', sandbox: true };
}

function settingsFinding(settings: DoctorSettings): Finding {
  if ('config' in settings)
    return { check: 'settings', state: 'ok', found: `router ${settings.config.url}, key given` };
  const found = settings.problem.replace(/:\s*\n\s*/g, ': ').replace(/\s*\n\s*/g, '; ');
  return { check: 'settings', state: 'fault', found, advice: 'see batuta-agent --help for every setting' };
}
