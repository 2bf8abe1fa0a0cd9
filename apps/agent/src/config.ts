import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { AGENT_PATH } from '@batuta/contracts';
import { integer, readSettings } from '@batuta/config';
import { z } from 'zod';

export interface AgentConfig {
  /** WebSocket address of the router, path included. */
  url: string;
  key: string;
  name: string;
  /** Instances run at the same time. */
  capacity: number;
  logLevel: string;
  stepLimit: number;
  /** How long a leaving agent finishes what it holds. */
  drainSeconds: number;
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
  BATUTA_SANDBOX_WORKERS         threads for authors' JavaScript; default 3
  BATUTA_SANDBOX_MEMORY_MB       memory of one of them; default 64
  BATUTA_SANDBOX_FORMULA_SECONDS time of a formula or condition; default 5
  BATUTA_SANDBOX_SCRIPT_SECONDS  time of a script; default 30

A key given as an option can be read in the machine's list of processes; the variable cannot.
`;

const shape = {
  BATUTA_ROUTER_URL: z.string('is missing; give it here or as --url').transform((text, context) => {
    const url = routerAddress(text);
    if (url !== undefined) return url;
    context.addIssue('must be an http(s):// or ws(s):// address');
    return z.NEVER;
  }),
  BATUTA_AGENT_KEY: z
    .string('is missing; give it here or as --key')
    .regex(/^[\x21-\x7e]{1,500}$/, 'must be an activation key'),
  BATUTA_AGENT_NAME: z
    .string()
    .trim()
    .min(1)
    .max(120)
    .default(() => hostname().slice(0, 120) || 'agent'),
  BATUTA_AGENT_CAPACITY: integer(1, 1000).default(5),
  BATUTA_AGENT_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  BATUTA_AGENT_STEP_LIMIT: integer(1, 10_000_000).default(10_000),
  BATUTA_AGENT_DRAIN_SECONDS: integer(0, 3600).default(30),
  BATUTA_SANDBOX_WORKERS: integer(1, 64).default(3),
  BATUTA_SANDBOX_MEMORY_MB: integer(16, 2048).default(64),
  BATUTA_SANDBOX_FORMULA_SECONDS: integer(1, 600).default(5),
  BATUTA_SANDBOX_SCRIPT_SECONDS: integer(1, 3600).default(30),
};

/** Throws one Error that names every wrong setting. */
export function readAgentConfig(env: NodeJS.ProcessEnv): AgentConfig {
  const settings = readSettings(shape, env);
  return {
    url: settings.BATUTA_ROUTER_URL,
    key: settings.BATUTA_AGENT_KEY,
    name: settings.BATUTA_AGENT_NAME,
    capacity: settings.BATUTA_AGENT_CAPACITY,
    logLevel: settings.BATUTA_AGENT_LOG_LEVEL,
    stepLimit: settings.BATUTA_AGENT_STEP_LIMIT,
    drainSeconds: settings.BATUTA_AGENT_DRAIN_SECONDS,
    sandbox: {
      workers: settings.BATUTA_SANDBOX_WORKERS,
      memoryMegabytes: settings.BATUTA_SANDBOX_MEMORY_MB,
      expressionSeconds: settings.BATUTA_SANDBOX_FORMULA_SECONDS,
      scriptSeconds: settings.BATUTA_SANDBOX_SCRIPT_SECONDS,
    },
  };
}

export type Command = { kind: 'help' } | { kind: 'version' } | { kind: 'run'; config: AgentConfig };

/** The command line over the environment. Throws an Error whose message is meant for who typed it. */
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

/** `https://host` and `wss://host/agent/v1` mean the same; a path in front is kept for routers behind a proxy. */
export function routerAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^(http|ws)s?:$/.test(url.protocol)) return undefined;
  url.protocol = url.protocol.replace('http', 'ws');
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(AGENT_PATH) ? path : `${path}${AGENT_PATH}`;
  url.hash = '';
  return url.href;
}
