import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { AGENT_PATH } from '@batuta/agent-protocol';
import { HostList, Integer, LogLevel, readSettings, Secret } from '@batuta/config';
import type { ProxySettings } from '@batuta/network';
import { Transform } from 'class-transformer';
import { IsDefined, IsIn, IsNotEmpty, IsOptional, IsString, Matches, ValidateBy } from 'class-validator';
import type { BrowserSettings } from './find-browser';
import type { ProcessLimits } from './execution-process/limits/process-limits';
import type { LogFileSettings } from './log-file';
import { authoritiesProblem } from './network/trusted-authorities';
import { mergeSources } from './settings/options';

export interface AgentConfig {
  /** WebSocket address of the router, path included. */
  url: string;
  /** The activation key of the environment. */
  key: string;
  /** Shown to people; other agents of the environment may have the same name. */
  name: string;
  /** Maximum number of instances that are accepted and have not ended. The environment may have a lower one, which the router applies. */
  capacity: number;
  /** The lowest level that is logged: trace, debug, info, warn or error; `silent` logs nothing. */
  logLevel: string;
  /** Undefined when the log goes to standard error. */
  logFile: LogFileSettings | undefined;
  /** For the connection to the router, and for REST and browser steps; databases and mail servers are reached directly. */
  proxies: ProxySettings;
  /** PEM file with certificates of authorities that the agent and its steps trust beside the usual ones; a browser does not read it. */
  caFile: string | undefined;
  /** The folder for the agent's private key; with `none` the key is only in memory. */
  stateFolder: string;
  /** Maximum number of steps that one execution runs, each as often as it runs; a flow may set a lower one. */
  stepLimit: number;
  /** Seconds that running instances get to end when a signal stops the agent; those that run longer are reported as crashed. */
  drainSeconds: number;
  /**
   * Steps connect to no host of `deny`. If `allow` is not empty, they connect only to its hosts. They connect to a metadata service of a cloud
   * only if `allow` names it.
   */
  hosts: { allow: string[]; deny: string[] };
  browser: BrowserSettings;
  /**
   * Limits of one evaluation of authors' JavaScript. `workers`, the number of evaluations at a time, counts only with the isolation `none`: the
   * process of an execution has one worker.
   */
  sandbox: { workers: number; memoryMegabytes: number; expressionSeconds: number; scriptSeconds: number };
  /** `process`: each execution runs in an OS process of its own; `none`: all run in the agent's process. */
  isolation: Isolation;
  /** Number of processes that have loaded their modules and wait for an execution; only with the isolation `process`. */
  warmProcesses: number;
  /** Apply only with the isolation `process`. */
  processLimits: ProcessLimits;
}

const ISOLATIONS = ['process', 'none'] as const;
export type Isolation = (typeof ISOLATIONS)[number];

class AgentVariables {
  @IsDefined({ message: 'is missing; give it here or as --url' })
  @IsNotEmpty({ message: 'must be an http(s):// or ws(s):// address' })
  @Transform(({ value }: { value: string }) => routerAddress(value) ?? '')
  BATUTA_ROUTER_URL!: string;

  @Secret()
  @Transform(({ value }: { value: string }) => value.trim())
  @IsDefined({ message: 'is missing; give it here, as --key-file or as --key' })
  @Matches(/^[\x21-\x7e]{1,500}$/, { message: 'must be an activation key' })
  BATUTA_AGENT_KEY!: string;

  @Transform(({ value }: { value: string }) => value.trim())
  // Not @Length, which does not count variation selectors: the router counts every code point.
  @Matches(/^[^]{1,120}$/u, { message: 'must be 1 to 120 characters' })
  BATUTA_AGENT_NAME = hostname().slice(0, 120) || 'agent';

  @Integer(1, 1000)
  BATUTA_AGENT_CAPACITY = 5;

  @LogLevel()
  BATUTA_AGENT_LOG_LEVEL = 'info';

  @IsString()
  BATUTA_AGENT_LOG_FILE = '';

  @Integer(1, 1024)
  BATUTA_AGENT_LOG_FILE_MB = 10;

  @Integer(1, 1000)
  BATUTA_AGENT_LOG_FILES = 5;

  @AuthoritiesFile()
  BATUTA_AGENT_CA_FILE = '';

  @IsString()
  BATUTA_AGENT_STATE_FOLDER = join(homedir(), '.batuta-agent');

  @Secret()
  @ProxyAddress()
  HTTP_PROXY: string | undefined;

  @Secret()
  @ProxyAddress()
  HTTPS_PROXY: string | undefined;

  @IsString()
  NO_PROXY = '';

  @Integer(1, 10_000_000)
  BATUTA_AGENT_STEP_LIMIT = 10_000;

  @Integer(0, 3600)
  BATUTA_AGENT_DRAIN_SECONDS = 30;

  @HostList()
  BATUTA_AGENT_ALLOW_HOSTS: string[] = [];

  @HostList()
  BATUTA_AGENT_DENY_HOSTS: string[] = [];

  @IsString()
  BATUTA_AGENT_BROWSER = '';

  @IsIn(['on', 'off'], { message: 'must be on or off' })
  BATUTA_AGENT_BROWSER_SANDBOX = 'on';

  @IsIn(ISOLATIONS, { message: `must be ${ISOLATIONS.join(' or ')}` })
  BATUTA_AGENT_ISOLATION: Isolation = 'process';

  @IsOptional()
  @Integer(0, 100)
  BATUTA_AGENT_WARM_PROCESSES: number | undefined;

  @Integer(128, 1_048_576)
  BATUTA_AGENT_RUN_MEMORY_MB = 1024;

  @Integer(1, 10_000_000)
  BATUTA_AGENT_RUN_CPU_SECONDS = 600;

  @Integer(64, 1_048_576)
  BATUTA_AGENT_RUN_OPEN_FILES = 1024;

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
  const settings = readSettings(AgentVariables, mergeSources(env));
  return {
    url: settings.BATUTA_ROUTER_URL,
    key: settings.BATUTA_AGENT_KEY,
    name: settings.BATUTA_AGENT_NAME,
    capacity: settings.BATUTA_AGENT_CAPACITY,
    logLevel: settings.BATUTA_AGENT_LOG_LEVEL,
    logFile: logFileOf(settings),
    proxies: {
      http: settings.HTTP_PROXY,
      https: settings.HTTPS_PROXY,
      none: settings.NO_PROXY.split(/[\s,]+/).filter(Boolean),
    },
    caFile: settings.BATUTA_AGENT_CA_FILE || undefined,
    stateFolder: settings.BATUTA_AGENT_STATE_FOLDER,
    stepLimit: settings.BATUTA_AGENT_STEP_LIMIT,
    drainSeconds: settings.BATUTA_AGENT_DRAIN_SECONDS,
    hosts: { allow: settings.BATUTA_AGENT_ALLOW_HOSTS, deny: settings.BATUTA_AGENT_DENY_HOSTS },
    browser: {
      program: settings.BATUTA_AGENT_BROWSER,
      sandbox: settings.BATUTA_AGENT_BROWSER_SANDBOX === 'on',
    },
    sandbox: {
      workers: settings.BATUTA_SANDBOX_WORKERS,
      memoryMegabytes: settings.BATUTA_SANDBOX_MEMORY_MB,
      expressionSeconds: settings.BATUTA_SANDBOX_FORMULA_SECONDS,
      scriptSeconds: settings.BATUTA_SANDBOX_SCRIPT_SECONDS,
    },
    isolation: settings.BATUTA_AGENT_ISOLATION,
    warmProcesses: settings.BATUTA_AGENT_WARM_PROCESSES ?? warmProcessesFor(settings.BATUTA_AGENT_CAPACITY),
    processLimits: {
      memoryMegabytes: settings.BATUTA_AGENT_RUN_MEMORY_MB,
      cpuSeconds: settings.BATUTA_AGENT_RUN_CPU_SECONDS,
      openFiles: settings.BATUTA_AGENT_RUN_OPEN_FILES,
    },
  };
}

/**
 * Default number of warm processes. Each one takes memory, and a burst of executions empties a larger pool as well, because executions
 * begin faster than processes start.
 */
function warmProcessesFor(capacity: number): number {
  return Math.min(4, Math.ceil(capacity / 3));
}

function logFileOf(settings: AgentVariables): LogFileSettings | undefined {
  const {
    BATUTA_AGENT_LOG_FILE: path,
    BATUTA_AGENT_LOG_FILE_MB: megabytes,
    BATUTA_AGENT_LOG_FILES: keptFiles,
  } = settings;
  return path === '' ? undefined : { path, megabytes, keptFiles };
}

/** Accepts the address of a proxy: a URL, or `host:port` as many other programs write it. */
function ProxyAddress(): PropertyDecorator {
  const complete = ({ value }: { value: string }) => (value.includes('://') ? value : `http://${value}`);
  const validator = {
    validate: (text: unknown) => text === undefined || (typeof text === 'string' && isProxyAddress(text)),
    defaultMessage: () =>
      'must be the address of an HTTP proxy, such as http://proxy.example.com:3128; a % in its user or password is written as %25',
  };
  return (target, property) => {
    Transform(complete)(target, property);
    ValidateBy({ name: 'isProxyAddress', validator })(target, property);
  };
}

/** Accepts the path of a file with certificates, and empty text. */
function AuthoritiesFile(): PropertyDecorator {
  const problemOf = (path: unknown) => (path === '' ? undefined : authoritiesProblem(String(path)));
  const validator = {
    validate: (path: unknown) => problemOf(path) === undefined,
    defaultMessage: (given?: { value: unknown }) => problemOf(given?.value) ?? '',
  };
  return ValidateBy({ name: 'isAuthoritiesFile', validator });
}

/** An address whose user or password is not encoded would end the agent at its first connection. */
function isProxyAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && isPercentEncoded(username) && isPercentEncoded(password);
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The WebSocket address of the router: `https://host` becomes `wss://host/agent/v1`. A path is kept, for routers behind a
 * proxy. Undefined for a text that is no http, https, ws or wss address.
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
