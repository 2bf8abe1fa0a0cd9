import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { AGENT_PATH } from '@batuta/agent-protocol';
import { Integer, LogLevel, readSettings } from '@batuta/config';
import { Transform } from 'class-transformer';
import { IsDefined, IsNotEmpty, IsString, Matches, ValidateBy } from 'class-validator';
import type { LogFileSettings } from './log-file';
import { HostList } from './network/host-list';
import type { ProxySettings } from './network/proxy';
import { layered } from './settings/options';

export interface AgentConfig {
  /** WebSocket address of the router, path included. */
  url: string;
  key: string;
  name: string;
  /** Maximum number of instances that run at a time. */
  capacity: number;
  logLevel: string;
  /** Undefined: the log goes to standard error. */
  logFile: LogFileSettings | undefined;
  proxies: ProxySettings;
  /** PEM file with certificates of further authorities. */
  caFile: string | undefined;
  /** Maximum number of steps of one execution. */
  stepLimit: number;
  /** Grace period for running instances when the agent stops. */
  drainSeconds: number;
  /** Rules for the hosts that steps connect to. */
  hosts: { allow: string[]; deny: string[] };
  sandbox: { workers: number; memoryMegabytes: number; expressionSeconds: number; scriptSeconds: number };
}

class Settings {
  @IsDefined({ message: 'is missing; give it here or as --url' })
  @IsNotEmpty({ message: 'must be an http(s):// or ws(s):// address' })
  @Transform(({ value }: { value: string }) => routerAddress(value) ?? '')
  BATUTA_ROUTER_URL!: string;

  @IsDefined({ message: 'is missing; give it here, as --key-file or as --key' })
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

  @IsString()
  BATUTA_AGENT_LOG_FILE = '';

  @Integer(1, 1024)
  BATUTA_AGENT_LOG_FILE_MB = 10;

  @Integer(1, 1000)
  BATUTA_AGENT_LOG_FILES = 5;

  @IsString()
  BATUTA_AGENT_CA_FILE = '';

  @ProxyAddress()
  HTTP_PROXY: string | undefined;

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
  const settings = readSettings(Settings, withKeyOfFile(layered(env)));
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

function logFileOf(settings: Settings): LogFileSettings | undefined {
  const { BATUTA_AGENT_LOG_FILE: path, BATUTA_AGENT_LOG_FILE_MB: megabytes, BATUTA_AGENT_LOG_FILES: kept } = settings;
  return path === '' ? undefined : { path, megabytes, kept };
}

function withKeyOfFile(env: Record<string, string>): Record<string, string> {
  const { BATUTA_AGENT_KEY_FILE: path, ...others } = env;
  if (path === undefined) return env;
  if (others['BATUTA_AGENT_KEY'] !== undefined) {
    throw new Error('Settings are wrong:\n  BATUTA_AGENT_KEY_FILE: must not be given together with BATUTA_AGENT_KEY');
  }
  try {
    return { ...others, BATUTA_AGENT_KEY: readFileSync(path, 'utf8').trim() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Settings are wrong:\n  BATUTA_AGENT_KEY_FILE: cannot be read: ${reason}`, { cause: error });
  }
}

/** Also `host:port`, as other programs accept it. */
function ProxyAddress(): PropertyDecorator {
  const complete = ({ value }: { value: string }) => (value.includes('://') ? value : `http://${value}`);
  const validator = {
    validate: (text: unknown) => text === undefined || (typeof text === 'string' && isHttpAddress(text)),
    defaultMessage: () => 'must be the address of an HTTP proxy, such as http://proxy.example.com:3128',
  };
  return (target, property) => {
    Transform(complete)(target, property);
    ValidateBy({ name: 'isProxyAddress', validator })(target, property);
  };
}

function isHttpAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
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
