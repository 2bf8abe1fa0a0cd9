import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { stepTypeNames } from '@batuta/flow';
import type { AgentConfig } from '../config';
import { SUPPORTED_STEPS } from '../connectors/registry';
import { AGENT_VERSION } from '../version';
import { tableOf, type Finding } from './finding';
import { checkAbilities, checkDisk, checkMemory, checkNode } from './machine-checks';
import { checkCertificate, checkClock, checkConnection, checkName, checkUpgrade } from './router-checks';

/** The settings that the agent would run with; `problem` = the sentence by which they are refused. */
export type DoctorSettings = { config: AgentConfig } | { problem: string };

export interface Diagnosis {
  version: string;
  ok: boolean;
  checks: Finding[];
}

/** Runs every check; with wrong settings only those of the machine. */
export async function diagnose(settings: DoctorSettings): Promise<Diagnosis> {
  const checks = [
    checkNode(process.versions.node),
    settingsFinding(settings),
    ...('config' in settings ? await checkWithConfig(settings.config) : []),
    checkAbilities(SUPPORTED_STEPS, stepTypeNames()),
    await checkDisk('disk', tmpdir()),
  ];
  return { version: AGENT_VERSION, ok: checks.every(({ state }) => state !== 'fault'), checks };
}

export function diagnosisText(diagnosis: Diagnosis, asJson: boolean): string {
  return asJson ? `${JSON.stringify(diagnosis, undefined, 2)}\n` : tableOf(diagnosis.checks);
}

/** Later checks of the router say little when an earlier one failed; they are left out. */
async function checkWithConfig(config: AgentConfig): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of [checkName, checkConnection, checkCertificate, checkUpgrade]) {
    findings.push(await check(config));
    if (findings.at(-1)?.state === 'fault') break;
  }
  if (findings.every(({ check, state }) => state !== 'fault' || check === 'router')) {
    findings.push(await checkClock(config, Date.now));
  }
  findings.push(checkMemory(config, process.availableMemory()));
  if (config.logFile) findings.push(await checkDisk('log', dirname(resolve(config.logFile.path))));
  return findings;
}

function settingsFinding(settings: DoctorSettings): Finding {
  if ('config' in settings)
    return { check: 'settings', state: 'ok', found: `router ${settings.config.url}, key given` };
  const found = settings.problem.replace(/\s*\n\s*/g, ' ');
  return { check: 'settings', state: 'fault', found, advice: 'see batuta-agent --help for every setting' };
}
