import { SERVICE_PLATFORMS } from '../service/service-platform';
import { optionsHelp } from './options';

/** The environment variable that names a settings file. */
export const CONFIG_VARIABLE = 'BATUTA_AGENT_CONFIG';

const SETTINGS_SOURCES_HELP = `Every setting can be an option, an environment variable or an entry of a settings file; an option counts before a variable,
and a variable before the file. The file is a JSON object with the options' names: {"url": "https://…", "capacity": 10}.
A key given as an option can be read in the machine's list of processes; a variable or --key-file cannot.
`;

const SETTINGS_HELP = `  --config <file>  a settings file
                   ${CONFIG_VARIABLE}
${optionsHelp()}
${SETTINGS_SOURCES_HELP}`;

/** The commands, each with its help. */
export const HELP_OF_COMMAND = {
  run: `Batuta agent: connects to a router and runs the processes of its environment.

  batuta-agent [run] --url https://router.example.com --key-file <path> [options]

  batuta-agent doctor             says what keeps the agent from working on this machine
  batuta-agent install-service    makes the agent a service of this machine, with the given settings
  batuta-agent uninstall-service  removes that service
  batuta-agent <command> --help   more about a command
  --help, --version

${SETTINGS_HELP}`,
  doctor: `Says what keeps the agent from working on this machine: the way to the router, the key, clock, browser, disk, memory
and abilities. Starts no agent. Exit code 1 when something is wrong.

  batuta-agent doctor [options]

  --json  the findings as JSON

${SETTINGS_HELP}`,
  'install-service': `Makes the agent a service that starts with this machine: systemd on Linux, launchd on macOS, WinSW on Windows. The given
settings are stored in a file that other users cannot read. Run it as root or administrator; again after an update of Node.

  batuta-agent install-service [options]

  --print            shows the files and commands, with the key hidden, and does nothing
  --service <name>   a further service on this machine, batuta-agent-<name>, for another environment; default: batuta-agent
  --user <name>      the account that the agent runs as; default: one of its own, on macOS nobody
  --platform <name>  with --print: ${SERVICE_PLATFORMS.join(', ')}; default: this machine's

${SETTINGS_HELP}`,
  'uninstall-service': `Stops the service of install-service and removes its files. Run it as root or administrator.

  batuta-agent uninstall-service [--service <name>] [--print]
`,
};

export type CommandName = keyof typeof HELP_OF_COMMAND;

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(HELP_OF_COMMAND, name);
}
