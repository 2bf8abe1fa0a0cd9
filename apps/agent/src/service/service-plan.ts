import { launchdPlan } from './launchd';
import { systemdPlan } from './systemd';
import { windowsPlan } from './windows';

/** What a service of the operating system needs to know. */
export interface ServiceSettings {
  /** Path of Node. */
  node: string;
  /** Path of the agent's program. */
  program: string;
  /** The agent's settings by variable, the key among them. */
  environment: Record<string, string>;
  /** The account that the agent runs as; undefined for the usual one of the platform. */
  user: string | undefined;
  /** How long the agent may take to stop. */
  stopSeconds: number;
}

/** Files and commands that make a service; nothing of it is done yet. */
export interface ServicePlan {
  files: { path: string; text: string; mode: number }[];
  /** Run in this order after the files are written. Repeated, they leave the same service. */
  start: string[][];
  /** Run in this order before the files are removed. */
  stop: string[][];
  /** A file that must be there before, and where it comes from. */
  needs?: { path: string; from: string };
}

const PLANS = { linux: systemdPlan, darwin: launchdPlan, win32: windowsPlan };

export type ServicePlatform = keyof typeof PLANS;

export const SERVICE_PLATFORMS = Object.keys(PLANS);

export function isServicePlatform(name: string): name is ServicePlatform {
  return Object.hasOwn(PLANS, name);
}

export function servicePlan(platform: ServicePlatform, settings: ServiceSettings): ServicePlan {
  for (const [name, value] of Object.entries(settings.environment)) {
    if (/[\0\r\n]/.test(value)) throw new Error(`${name} must be one line to be a setting of a service`);
  }
  return PLANS[platform](settings);
}

/** All of the plan as text, with the key and passwords hidden. */
export function planText(platform: ServicePlatform, settings: ServiceSettings): string {
  const { files, start, needs } = servicePlan(platform, {
    ...settings,
    environment: hideSecrets(settings.environment),
  });
  const parts = files.map(({ path, text, mode }) => `# ${path} (mode ${mode.toString(8).padStart(4, '0')})\n${text}`);
  if (needs) parts.push(`# needs ${needs.path}\n# ${needs.from}\n`);
  parts.push(`# then\n${start.map((command) => `${command.map(quoteIfNeeded).join(' ')}\n`).join('')}`);
  return parts.join('\n');
}

function hideSecrets(environment: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      name === 'BATUTA_AGENT_KEY' ? '•••' : value.replace(/(?<=:\/\/)[^@/]*(?=@)/, '•••'),
    ]),
  );
}

function quoteIfNeeded(word: string): string {
  return /^[\w./:\\@=-]+$/.test(word) ? word : `"${word}"`;
}
