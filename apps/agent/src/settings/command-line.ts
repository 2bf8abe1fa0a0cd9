import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { readAgentConfig, type AgentConfig } from '../config';
import type { DoctorSettings } from '../doctor/doctor';
import {
  isServicePlatform,
  SERVICE_PLATFORMS,
  type ServicePlatform,
  type ServiceSettings,
} from '../service/service-plan';
import { CONFIG_VARIABLE, HELP, isCommandName, type CommandName } from './help';
import { layered, OPTIONS } from './options';
import { readSettingsFile } from './settings-file';

export type Command =
  | { kind: 'help'; text: string }
  | { kind: 'version' }
  | { kind: 'run'; config: AgentConfig }
  | { kind: 'doctor'; settings: DoctorSettings; json: boolean }
  | { kind: 'install-service'; platform: ServicePlatform; settings: ServiceOptions; print: boolean }
  | { kind: 'uninstall-service'; platform: ServicePlatform; print: boolean };

/** What the command line decides of a service. */
export type ServiceOptions = Pick<ServiceSettings, 'environment' | 'user' | 'stopSeconds'>;

/** For the last reports after the drain. */
const STOP_SLACK_SECONDS = 10;

const settingOptions = Object.fromEntries(OPTIONS.map(({ name }) => [name, { type: 'string' as const }]));
const commonOptions = {
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

const printOptions = { print: { type: 'boolean' }, platform: { type: 'string' } } as const;

const OPTIONS_OF: Record<CommandName, ParseArgsOptionsConfig> = {
  run: { ...settingOptions, ...commonOptions },
  doctor: { ...settingOptions, ...commonOptions, json: { type: 'boolean' } },
  'install-service': { ...settingOptions, ...commonOptions, ...printOptions, user: { type: 'string' } },
  'uninstall-service': { help: commonOptions.help, version: commonOptions.version, ...printOptions },
};

/** Reads the command line. Throws an Error whose message the user reads. */
export function readCommand(argv: string[], env: NodeJS.ProcessEnv): Command {
  const [first] = argv;
  const name = first === undefined || first.startsWith('-') ? 'run' : first;
  if (!isCommandName(name))
    throw new Error(`"${name}" is no command; the commands are ${Object.keys(HELP).join(', ')}`);
  const { values } = parseArgs({ args: name === first ? argv.slice(1) : argv, options: OPTIONS_OF[name] });
  if (values['help']) return { kind: 'help', text: HELP[name] };
  if (values['version']) return { kind: 'version' };
  if (name === 'run') return { kind: name, config: readAgentConfig(settingsOf(values, env)) };
  if (name === 'doctor') {
    return { kind: name, settings: settingsForDoctor(values, env), json: values['json'] === true };
  }
  const target = platformOf(values);
  return name === 'install-service'
    ? { kind: name, ...target, settings: serviceOptions(values, env) }
    : { kind: name, ...target };
}

function platformOf(values: Record<string, unknown>): { platform: ServicePlatform; print: boolean } {
  const print = values['print'] === true;
  const platform = typeof values['platform'] === 'string' && print ? values['platform'] : process.platform;
  if (isServicePlatform(platform)) return { platform, print };
  throw new Error(`There are no services for "${platform}", only for ${SERVICE_PLATFORMS.join(', ')}`);
}

/** Wrong settings are refused here, not by a service that does not start. The account of the service may not read a key file. */
function serviceOptions(values: Record<string, unknown>, env: NodeJS.ProcessEnv): ServiceOptions {
  const { BATUTA_AGENT_KEY_FILE: _path, ...given } = settingsOf(values, env);
  const { key, drainSeconds } = readAgentConfig(settingsOf(values, env));
  const user = typeof values['user'] === 'string' ? values['user'] : undefined;
  if (user !== undefined && !/^[\w.\\$@ -]{1,100}$/.test(user))
    throw new Error('--user: must be the name of an account');
  return { environment: { ...given, BATUTA_AGENT_KEY: key }, user, stopSeconds: drainSeconds + STOP_SLACK_SECONDS };
}

function settingsForDoctor(values: Record<string, unknown>, env: NodeJS.ProcessEnv): DoctorSettings {
  try {
    return { config: readAgentConfig(settingsOf(values, env)) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The values of the options, of the environment and of the settings file, by variable. */
function settingsOf(values: Record<string, unknown>, env: NodeJS.ProcessEnv): Record<string, string> {
  const typed: Record<string, string> = {};
  for (const { name, variable } of OPTIONS) {
    const value = values[name];
    if (typeof value === 'string') typed[variable] = value;
  }
  const path = values['config'] ?? env[CONFIG_VARIABLE];
  return layered(typed, env, typeof path === 'string' && path !== '' ? readSettingsFile(path) : {});
}
