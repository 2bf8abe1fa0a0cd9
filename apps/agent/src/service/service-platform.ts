import { launchdPlan } from './launchd';
import type { OsServiceSettings, ServicePlan } from './service-plan';
import { systemdPlan } from './systemd';
import { windowsPlan } from './windows';

const PLAN_OF_PLATFORM = { linux: systemdPlan, darwin: launchdPlan, win32: windowsPlan };

export type ServicePlatform = keyof typeof PLAN_OF_PLATFORM;

export const SERVICE_PLATFORMS = Object.keys(PLAN_OF_PLATFORM);

export function isServicePlatform(name: string): name is ServicePlatform {
  return Object.hasOwn(PLAN_OF_PLATFORM, name);
}

/** Throws an Error for a setting with a line break, which could add lines to the files, or with a NUL. */
export function servicePlan(platform: ServicePlatform, settings: OsServiceSettings): ServicePlan {
  for (const [name, value] of Object.entries(settings.environment)) {
    if (/[\0\r\n]/.test(value)) throw new Error(`${name} must be one line to be a setting of a service`);
  }
  return PLAN_OF_PLATFORM[platform](settings);
}

/** What an installation would write and run, as text; the key, and the user and password of URLs, are hidden. */
export function installText(platform: ServicePlatform, settings: OsServiceSettings): string {
  const {
    files,
    protectCommands = [],
    startCommands,
    needs,
  } = servicePlan(platform, {
    ...settings,
    environment: hideSecrets(settings.environment),
  });
  const parts = files.map(({ path, text, mode }) => `# ${path} (mode ${mode.toString(8).padStart(4, '0')})\n${text}`);
  if (needs) parts.push(`# needs ${needs.path}\n# ${needs.from}\n`);
  const commands = [...protectCommands, ...startCommands];
  parts.push(
    `# then\n${commands.map((command) => `${command.map((word) => quoteIfNeeded(word, platform)).join(' ')}\n`).join('')}`,
  );
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

/** Single quotes keep a POSIX shell from expanding `$`; the command line of Windows knows only double quotes. */
function quoteIfNeeded(word: string, platform: ServicePlatform): string {
  if (/^[\w./:\\@=-]+$/.test(word)) return word;
  return platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
