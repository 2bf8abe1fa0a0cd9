import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { AGENT_PATH } from '@batuta/agent-protocol';
import { Integer, LogLevel, readSettings } from '@batuta/config';
import { Transform } from 'class-transformer';
import { IsDefined, IsNotEmpty, Matches } from 'class-validator';
import { HostList } from './network/host-list';

export interface AgentConfig {
  /** WebSocket address of the router, path included. */
  url: string;
  key: string;
  name: string;
  /** Maximum number of instances that run at a time. */
  capacity: number;
  logLevel: string;
  /** Maximum number of steps of one execution. */
  stepLimit: number;
  /** Grace period for running instances when the agent stops. */
  drainSeconds: number;
  /** Rules for the hosts that steps connect to. */
  hosts: { allow: string[]; deny: string[] };
  sandbox: { workers: number; memoryMegabytes: number; expressionSeconds: number; scriptSeconds: number };
}

export const USAGE = `Batuta agent: connects to a router and runs the processes of its environment.

  batuta-agent --url https://router.example.com --key <activation key> [options]

  --url <address>      router; http(s):// or ws(s)://              BATUTA_ROUTER_URL
  --key <key>          activation key of the environment           BATUTA_AGENT_KEY
  --name <name>        shown to people; default: the host's name   BATUTA_AGENT_NAME
  --capacity <n>       processes run at once, 1-1000; default 5    BATUTA_AGENT_CAPACITY
  --log-level <level>  debug, info, warn, error; default info      BATUTA_AGENT_LOG_LEVEL
  --help, --version

Only by environment variable:
  BATUTA_AGENT_STEP_LIMIT        steps of one execution; default 10000
  BATUTA_AGENT_DRAIN_SECONDS     time to finish when stopped by a signal; default 30
  BATUTA_AGENT_ALLOW_HOSTS       the only hosts that steps connect to; default: all but metadata services
  BATUTA_AGENT_DENY_HOSTS        hosts that steps never connect to
  BATUTA_SANDBOX_WORKERS         threads for authors' JavaScript; default 3
  BATUTA_SANDBOX_MEMORY_MB       memory of one of them; default 64
  BATUTA_SANDBOX_FORMULA_SECONDS time of a formula or condition; default 5
  BATUTA_SANDBOX_SCRIPT_SECONDS  time of a script; default 30

A key given as an option can be read in the machine's list of processes; the variable cannot.
`;

class Settings {
  @IsDefined({ message: 'is missing; give it here or as --url' })
  @IsNotEmpty({ message: 'must be an http(s):// or ws(s):// address' })
  @Transform(({ value }: { value: string }) => routerAddress(value) ?? '')
  BATUTA_ROUTER_URL!: string;

  @IsDefined({ message: 'is missing; give it here or as --key' })
  @Matches(/^[\x21-\x7e]{1,500}$/, { message: 'must be an activation key' })
  BATUTA_AGENT_KEY!: string;

  @Transform(({ value }: { value: string }) => value.trim())
  // Not @Length, which leaves out variation selectors: the router counts code points.
  @Matches(/^[^]{1,120}$/u, { message: 'must be 1 to 120 characters' })
  BATUTA_AGENT_NAME = hostname().slice(0, 120) || 'agent';

  @Integer(1, 1000)
  BATUTA_AGENT_CAPACITY = 5;

  @LogLevel()
  BATUTA_AGENT_LOG_LEVEL = 'info';

  @Integer(1, 10_000_000)
  BATUTA_AGENT_STEP_LIMIT = 10_000;

  @Integer(0, 3600)
  BATUTA_AGENT_DRAIN_SECONDS = 30;

  @HostList()
  BATUTA_AGENT_ALLOW_HOSTS: string[] = [];

  @HostList()
  BATUTA_AGENT_DENY_HOSTS: string[] = [];

  @Integer(1, 64)
  BATUTA_SANDBOX_WORKERS = 3;

  @Integer(16, 2048)
  BATUTA_SANDBOX_MEMORY_MB = 64;

  @Integer(1, 600)
  BATUTA_SANDBOX_FORMULA_SECONDS = 5;

  @Integer(1, 3600)
  BATUTA_SANDBOX_SCRIPT_SECONDS = 30;
}

/** Throws one Error that names every wrong setting. */
export function readAgentConfig(env: NodeJS.ProcessEnv): AgentConfig {
  const settings = readSettings(Settings, env);
  return {
    url: settings.BATUTA_ROUTER_URL,
    key: settings.BATUTA_AGENT_KEY,
    name: settings.BATUTA_AGENT_NAME,
    capacity: settings.BATUTA_AGENT_CAPACITY,
    logLevel: settings.BATUTA_AGENT_LOG_LEVEL,
    stepLimit: settings.BATUTA_AGENT_STEP_LIMIT,
    drainSeconds: settings.BATUTA_AGENT_DRAIN_SECONDS,
    hosts: { allow: settings.BATUTA_AGENT_ALLOW_HOSTS, deny: settings.BATUTA_AGENT_DENY_HOSTS },
    sandbox: {
      workers: settings.BATUTA_SANDBOX_WORKERS,
      memoryMegabytes: settings.BATUTA_SANDBOX_MEMORY_MB,
      expressionSeconds: settings.BATUTA_SANDBOX_FORMULA_SECONDS,
      scriptSeconds: settings.BATUTA_SANDBOX_SCRIPT_SECONDS,
    },
  };
}

export type Command = { kind: 'help' } | { kind: 'version' } | { kind: 'run'; config: AgentConfig };

/** Reads the command line; its options override the environment. Throws an Error whose message the user reads. */
export function readCommand(argv: string[], env: NodeJS.ProcessEnv): Command {
  const { values } = parseArgs({
    args: argv,
    options: {
      url: { type: 'string' },
      key: { type: 'string' },
      name: { type: 'string' },
      capacity: { type: 'string' },
      'log-level': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  });
  if (values.help) return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  const given = {
    BATUTA_ROUTER_URL: values.url,
    BATUTA_AGENT_KEY: values.key,
    BATUTA_AGENT_NAME: values.name,
    BATUTA_AGENT_CAPACITY: values.capacity,
    BATUTA_AGENT_LOG_LEVEL: values['log-level'],
  };
  const typed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { kind: 'run', config: readAgentConfig({ ...env, ...typed }) };
}

/**
 * The WebSocket address of the router: `https://host` becomes `wss://host/agent/v1`. A path is kept, for routers behind a
 * proxy. Returns undefined for any other text.
 */
export function routerAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^(http|ws)s?:$/.test(url.protocol)) return undefined;
  url.protocol = url.protocol.replace('http', 'ws');
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(AGENT_PATH) ? path : `${path}${AGENT_PATH}`;
  url.hash = '';
  return url.href;
}
