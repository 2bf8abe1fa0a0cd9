import { resolve } from 'node:path';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { readAgentConfig, type AgentConfig } from '../config';
import type { DoctorSettings } from '../doctor/doctor';
import { NO_BROWSER } from '../find-browser';
import { NO_STATE_FOLDER } from '../key/private-key';
import { SERVICE_NAME, type OsServiceSettings } from '../service/service-plan';
import { isServicePlatform, SERVICE_PLATFORMS, type ServicePlatform } from '../service/service-platform';
import { CONFIG_VARIABLE, HELP_OF_COMMAND, isCommandName, type CommandName } from './help';
import { mergeSources, AGENT_OPTIONS } from './options';
import { readSettingsFile } from './settings-file';

/**
 * A command with its arguments. `print` = the command only prints the files that it would write and the programs that it would run; `json` = it
 * prints its findings as JSON.
 */
export type Command =
  | { kind: 'help'; text: string }
  | { kind: 'version' }
  | { kind: 'run'; config: AgentConfig }
  | { kind: 'doctor'; settings: DoctorSettings; json: boolean }
  | { kind: 'install-service'; platform: ServicePlatform; service: string; settings: ServiceOptions; print: boolean }
  | { kind: 'uninstall-service'; platform: ServicePlatform; service: string; print: boolean };

/** The parameters of a service that the command line sets. */
export type ServiceOptions = Pick<OsServiceSettings, 'environment' | 'user' | 'stopSeconds'>;

interface ServiceTarget {
  platform: ServicePlatform;
  service: string;
  print: boolean;
}

/** Longest time that an agent takes after it has drained: its executions stop, the last reports are sent, connection and tracing close. */
const STOP_SLACK_SECONDS = 20;

/** Values of settings with paths that are words and no paths. */
const NO_PATHS = new Set([NO_STATE_FOLDER, NO_BROWSER]);
/** The variable by which Node itself trusts further authorities: no setting of the agent, but documented beside `--ca-file`. */
const AUTHORITIES_VARIABLE = 'NODE_EXTRA_CA_CERTS';

const SETTING_OPTIONS = Object.fromEntries(AGENT_OPTIONS.map(({ name }) => [name, { type: 'string' as const }]));
const COMMON_OPTIONS = {
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

const TARGET_OPTIONS = {
  print: { type: 'boolean' },
  platform: { type: 'string' },
  service: { type: 'string' },
} as const;

const OPTIONS_OF: Record<CommandName, ParseArgsOptionsConfig> = {
  run: { ...SETTING_OPTIONS, ...COMMON_OPTIONS },
  doctor: { ...SETTING_OPTIONS, ...COMMON_OPTIONS, json: { type: 'boolean' } },
  'install-service': { ...SETTING_OPTIONS, ...COMMON_OPTIONS, ...TARGET_OPTIONS, user: { type: 'string' } },
  'uninstall-service': { help: COMMON_OPTIONS.help, version: COMMON_OPTIONS.version, ...TARGET_OPTIONS },
};

/** Reads the command line. Throws an Error whose message the user reads. */
export function readCommand(argv: string[], env: NodeJS.ProcessEnv): Command {
  const [first] = argv;
  const name = first === undefined || first.startsWith('-') ? 'run' : first;
  if (!isCommandName(name))
    throw new Error(`"${name}" is no command; the commands are ${Object.keys(HELP_OF_COMMAND).join(', ')}`);
  const { values } = parseArgs({ args: name === first ? argv.slice(1) : argv, options: OPTIONS_OF[name] });
  if (values['help']) return { kind: 'help', text: HELP_OF_COMMAND[name] };
  if (values['version']) return { kind: 'version' };
  if (name === 'run') return { kind: name, config: readAgentConfig(settingsOf(values, env)) };
  if (name === 'doctor') {
    return { kind: name, settings: settingsForDoctor(values, env), json: values['json'] === true };
  }
  const target = serviceTargetOf(values);
  return name === 'install-service'
    ? { kind: name, ...target, settings: serviceOptions(values, env, target.platform) }
    : { kind: name, ...target };
}

/** Reads `--platform`, which has an effect only with `--print`. Throws for a platform without services. */
function serviceTargetOf(values: Record<string, unknown>): ServiceTarget {
  const service = serviceNameOf(values['service']);
  const print = values['print'] === true;
  const platform = typeof values['platform'] === 'string' && print ? values['platform'] : process.platform;
  if (isServicePlatform(platform)) return { platform, service, print };
  throw new Error(`There are no services for "${platform}", only for ${SERVICE_PLATFORMS.join(', ')}`);
}

/** `batuta-agent`, or with `--service orders` the name `batuta-agent-orders`: no other program has a service of such a name. */
function serviceNameOf(suffix: unknown): string {
  if (typeof suffix !== 'string') return SERVICE_NAME;
  if (/^[a-z0-9][a-z0-9-]{0,17}$/.test(suffix)) return `${SERVICE_NAME}-${suffix}`;
  throw new Error('--service: must be 1 to 18 small letters, digits and hyphens, without a hyphen at its beginning');
}

/**
 * Refuses wrong settings at the installation and not at the start of the service. Reads secrets from their files,
 * because the account of the service may not read these files.
 */
function serviceOptions(
  values: Record<string, unknown>,
  env: NodeJS.ProcessEnv,
  platform: ServicePlatform,
): ServiceOptions {
  const {
    BATUTA_AGENT_KEY_FILE: _key,
    HTTP_PROXY_FILE: _http,
    HTTPS_PROXY_FILE: _https,
    ...given
  } = settingsOf(values, env);
  const settings = settingsOf(values, env);
  if (platform === process.platform) {
    makePathsAbsolute(given);
    // A service does not inherit the environment of the command that installs it.
    const authorities = env[AUTHORITIES_VARIABLE];
    if (authorities) given[AUTHORITIES_VARIABLE] = resolve(authorities);
  } else {
    // A path of another system is none of this machine, so that the file cannot be checked here.
    delete settings['BATUTA_AGENT_CA_FILE'];
  }
  const { key, drainSeconds, proxies } = readAgentConfig(settings);
  if (proxies.http !== undefined) given['HTTP_PROXY'] = proxies.http;
  if (proxies.https !== undefined) given['HTTPS_PROXY'] = proxies.https;
  const user = typeof values['user'] === 'string' ? values['user'] : undefined;
  if (user !== undefined && !/^[\w.\\$@ -]{1,100}$/.test(user))
    throw new Error('--user: must be the name of an account');
  return { environment: { ...given, BATUTA_AGENT_KEY: key }, user, stopSeconds: drainSeconds + STOP_SLACK_SECONDS };
}

/** A service runs in another folder than the command that installs it. */
function makePathsAbsolute(environment: Record<string, string>): void {
  for (const { variable, value } of AGENT_OPTIONS) {
    const path = environment[variable];
    if (value === 'path' && path !== undefined && !NO_PATHS.has(path)) environment[variable] = resolve(path);
  }
}

function settingsForDoctor(values: Record<string, unknown>, env: NodeJS.ProcessEnv): DoctorSettings {
  try {
    return { config: readAgentConfig(settingsOf(values, env)) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The values of the settings by variable: of an option, else of the environment, else of the settings file. */
function settingsOf(values: Record<string, unknown>, env: NodeJS.ProcessEnv): Record<string, string> {
  const typed: Record<string, string> = {};
  for (const { name, variable } of AGENT_OPTIONS) {
    const value = values[name];
    if (typeof value === 'string') typed[variable] = value;
  }
  const path = values['config'] ?? env[CONFIG_VARIABLE];
  return mergeSources(typed, env, typeof path === 'string' && path !== '' ? readSettingsFile(path) : {});
}
