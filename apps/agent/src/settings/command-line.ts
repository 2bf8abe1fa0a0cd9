import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { readAgentConfig, type AgentConfig } from '../config';
import type { DoctorSettings } from '../doctor/doctor';
import { layered, OPTIONS, optionsHelp } from './options';
import { readSettingsFile } from './settings-file';

export type Command =
  | { kind: 'help'; text: string }
  | { kind: 'version' }
  | { kind: 'run'; config: AgentConfig }
  | { kind: 'doctor'; settings: DoctorSettings; json: boolean };

const CONFIG_VARIABLE = 'BATUTA_AGENT_CONFIG';

const SOURCES = `Every setting can be an option, an environment variable or an entry of a settings file; an option counts before a variable,
and a variable before the file. The file is a JSON object with the options' names: {"url": "https://…", "capacity": 10}.
A key given as an option can be read in the machine's list of processes; a variable or --key-file cannot.
`;

const SETTINGS_HELP = `  --config <file>  a settings file
                   ${CONFIG_VARIABLE}
${optionsHelp()}
${SOURCES}`;

const HELP = {
  run: `Batuta agent: connects to a router and runs the processes of its environment.

  batuta-agent [run] --url https://router.example.com --key-file <path> [options]

  batuta-agent doctor             says what keeps the agent from working on this machine
  batuta-agent <command> --help   more about a command
  --help, --version

${SETTINGS_HELP}`,
  doctor: `Says what keeps the agent from working on this machine: the way to the router, the key, clock, disk, memory and abilities.
Starts nothing. Exit code 1 when something is wrong.

  batuta-agent doctor [options]

  --json  the findings as JSON

${SETTINGS_HELP}`,
};

const settingOptions = Object.fromEntries(OPTIONS.map(({ name }) => [name, { type: 'string' as const }]));
const commonOptions = {
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** Reads the command line. Throws an Error whose message the user reads. */
export function readCommand(argv: string[], env: NodeJS.ProcessEnv): Command {
  const [first] = argv;
  const name = first === undefined || first.startsWith('-') ? 'run' : first;
  if (!isCommand(name)) throw new Error(`"${name}" is no command; the commands are ${Object.keys(HELP).join(', ')}`);
  const { values } = parseArgs({ args: name === first ? argv.slice(1) : argv, options: optionsOf(name) });
  if (values['help']) return { kind: 'help', text: HELP[name] };
  if (values['version']) return { kind: 'version' };
  if (name === 'run') return { kind: 'run', config: readAgentConfig(settingsOf(values, env)) };
  return { kind: 'doctor', settings: settingsForDoctor(values, env), json: values['json'] === true };
}

function isCommand(name: string): name is keyof typeof HELP {
  return Object.hasOwn(HELP, name);
}

function optionsOf(name: keyof typeof HELP): ParseArgsOptionsConfig {
  return { ...settingOptions, ...commonOptions, ...(name === 'doctor' && { json: { type: 'boolean' } }) };
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
