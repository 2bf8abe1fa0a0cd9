/** One setting: its option on the command line, which is also its name in a settings file, and its environment variable. */
export interface AgentOption {
  name: string;
  variable: string;
  /** The kind of value, in one word, for the help. The installation of a service makes each `path` absolute. */
  value: string;
  help: string;
}

export const AGENT_OPTIONS: readonly AgentOption[] = [
  option('url', 'BATUTA_ROUTER_URL', 'address', 'the router; http(s):// or ws(s)://'),
  option('key', 'BATUTA_AGENT_KEY', 'key', 'activation key of the environment'),
  option(
    'key-file',
    'BATUTA_AGENT_KEY_FILE',
    'path',
    'file that contains the activation key, instead of the key itself',
  ),
  option('name', 'BATUTA_AGENT_NAME', 'name', "shown to people; default: the host's name"),
  option('capacity', 'BATUTA_AGENT_CAPACITY', 'n', 'processes run at once, 1-1000; default 5'),
  option('drain-seconds', 'BATUTA_AGENT_DRAIN_SECONDS', 'n', 'time to finish when stopped by a signal; default 30'),
  option('step-limit', 'BATUTA_AGENT_STEP_LIMIT', 'n', 'steps of one execution; default 10000'),
  option(
    'allow-hosts',
    'BATUTA_AGENT_ALLOW_HOSTS',
    'hosts',
    'the only hosts that steps connect to; default: all others',
  ),
  option('deny-hosts', 'BATUTA_AGENT_DENY_HOSTS', 'hosts', 'hosts that steps never connect to'),
  option('http-proxy', 'HTTP_PROXY', 'address', 'proxy for http:// and ws:// addresses'),
  option('https-proxy', 'HTTPS_PROXY', 'address', 'proxy for https:// and wss:// addresses'),
  option('http-proxy-file', 'HTTP_PROXY_FILE', 'path', 'file that contains the address of that proxy'),
  option('https-proxy-file', 'HTTPS_PROXY_FILE', 'path', 'file that contains the address of that proxy'),
  option('no-proxy', 'NO_PROXY', 'hosts', 'hosts that are reached without a proxy'),
  option(
    'ca-file',
    'BATUTA_AGENT_CA_FILE',
    'path',
    'certificates of further authorities that the agent trusts, as PEM',
  ),
  option(
    'state-folder',
    'BATUTA_AGENT_STATE_FOLDER',
    'path',
    "folder for the agent's own key; none: another key at every start; default ~/.batuta-agent",
  ),
  option('log-level', 'BATUTA_AGENT_LOG_LEVEL', 'level', 'trace, debug, info, warn, error, silent; default info'),
  option('log-file', 'BATUTA_AGENT_LOG_FILE', 'path', 'log into numbered files instead of standard error'),
  option('log-file-mb', 'BATUTA_AGENT_LOG_FILE_MB', 'n', 'size at which the next log file begins; default 10'),
  option('log-files', 'BATUTA_AGENT_LOG_FILES', 'n', 'log files that are kept, the current one too; default 5'),
  option(
    'browser',
    'BATUTA_AGENT_BROWSER',
    'path',
    'Chromium, Chrome or Edge for browser steps, or off; default: found',
  ),
  option('browser-sandbox', 'BATUTA_AGENT_BROWSER_SANDBOX', 'on|off', "the browser's own sandbox; default on"),
  option('isolation', 'BATUTA_AGENT_ISOLATION', 'process|none', 'a process for each execution; default process'),
  option(
    'warm-processes',
    'BATUTA_AGENT_WARM_PROCESSES',
    'n',
    'processes kept ready; default a third of capacity, at most 4',
  ),
  option('run-memory-mb', 'BATUTA_AGENT_RUN_MEMORY_MB', 'n', 'memory of one execution; default 1024'),
  option('run-cpu-seconds', 'BATUTA_AGENT_RUN_CPU_SECONDS', 'n', 'processor time of one execution; default 600'),
  option('run-open-files', 'BATUTA_AGENT_RUN_OPEN_FILES', 'n', 'open files of one process; default 1024'),
  option(
    'sandbox-workers',
    'BATUTA_SANDBOX_WORKERS',
    'n',
    "threads for authors' JavaScript without isolation; default 3",
  ),
  option('sandbox-memory-mb', 'BATUTA_SANDBOX_MEMORY_MB', 'n', 'memory of one of them; default 64'),
  option('sandbox-formula-seconds', 'BATUTA_SANDBOX_FORMULA_SECONDS', 'n', 'time of a formula or condition; default 5'),
  option('sandbox-script-seconds', 'BATUTA_SANDBOX_SCRIPT_SECONDS', 'n', 'time of a script; default 30'),
];

/** Pairs of settings of which one source may give only one; it also replaces the other one of a less important source. */
const EXCLUSIVE_VARIABLES = [
  ['BATUTA_AGENT_KEY', 'BATUTA_AGENT_KEY_FILE'],
  ['HTTP_PROXY', 'HTTP_PROXY_FILE'],
  ['HTTPS_PROXY', 'HTTPS_PROXY_FILE'],
];

/** The values of the agent's settings by variable, from several sources; an earlier source takes precedence. Empty text counts as absent. */
export function mergeSources(...sources: Record<string, string | undefined>[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const source of sources) {
    const decided = EXCLUSIVE_VARIABLES.filter((group) =>
      group.some((variable) => merged[variable] !== undefined),
    ).flat();
    for (const { variable } of AGENT_OPTIONS) {
      // Programs often write the names of the proxy variables in lower case.
      const text = source[variable] || (variable.endsWith('_PROXY') ? source[variable.toLowerCase()] : undefined);
      if (text && merged[variable] === undefined && !decided.includes(variable)) merged[variable] = text;
    }
  }
  return merged;
}

export function optionsHelp(): string {
  const titles = AGENT_OPTIONS.map(({ name, value }) => `--${name} <${value}>`);
  const width = Math.max(...titles.map(({ length }) => length));
  return AGENT_OPTIONS.map(
    ({ variable, help }, n) => `  ${(titles[n] ?? '').padEnd(width)}  ${help}\n  ${' '.repeat(width)}  ${variable}\n`,
  ).join('');
}

function option(name: string, variable: string, value: string, help: string): AgentOption {
  return { name, variable, value, help };
}
