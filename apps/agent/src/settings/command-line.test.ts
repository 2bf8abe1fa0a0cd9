import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { certificateFile } from '../../test/tls-world';
import type { AgentConfig } from '../config';
import { readCommand } from './command-line';
import { AGENT_OPTIONS } from './options';

const SETTINGS_FOLDER = mkdtempSync(join(tmpdir(), 'batuta-settings-'));
afterAll(() => rmSync(SETTINGS_FOLDER, { recursive: true }));

const settingsFile = (content: unknown): string => {
  const path = join(SETTINGS_FOLDER, 'agent.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const keyFile = (content: string): string => {
  const path = join(SETTINGS_FOLDER, 'key');
  writeFileSync(path, content);
  return path;
};
const env = { BATUTA_ROUTER_URL: 'https://env.example.com', BATUTA_AGENT_KEY: 'from-env' };
const configOf = (argv: string[], variables: NodeJS.ProcessEnv): AgentConfig => {
  const command = readCommand(argv, variables);
  if (command.kind !== 'run') throw new Error(command.kind);
  return command.config;
};

test('an option counts before a variable, and a variable before the settings file', () => {
  const path = settingsFile({
    url: 'https://file.example.com',
    key: 'from-file',
    capacity: 7,
    name: 'file',
    'step-limit': 9,
  });
  const config = configOf(['--config', path, '--name', 'typed'], { ...env, BATUTA_AGENT_NAME: 'env' });
  expect(config).toMatchObject({ url: 'wss://env.example.com/agent/v1', key: 'from-env', capacity: 7, stepLimit: 9 });
  expect(config.name).toBe('typed');
});

test('a list in the settings file is a list of hosts', () => {
  const path = settingsFile({ 'deny-hosts': ['10.0.0.0/8', '*.example.com'], 'no-proxy': '.local, erp' });
  const config = configOf(['run', `--config=${path}`], { ...env, HTTPS_PROXY: 'proxy:3128' });
  expect(config.hosts).toEqual({ allow: [], deny: ['10.0.0.0/8', '*.example.com'] });
  expect(config.proxies).toEqual({ http: undefined, https: 'http://proxy:3128', none: ['.local', 'erp'] });
});

test('the variables of proxies may be in lower case', () => {
  expect(configOf([], { ...env, https_proxy: 'http://p:1', no_proxy: '*' }).proxies).toMatchObject({
    https: 'http://p:1',
    none: ['*'],
  });
});

test('every option is read from the command line, the environment and the settings file alike', () => {
  const values: Record<string, string> = {
    url: 'http://x',
    'key-file': keyFile('k'),
    'log-level': 'warn',
    isolation: 'none',
    'run-memory-mb': '200',
    'run-open-files': '100',
  };
  const given = AGENT_OPTIONS.filter(({ name }) => !['key', 'http-proxy-file', 'https-proxy-file'].includes(name)).map(
    ({ name, variable, value }) => {
      const samples: Record<string, string> = {
        n: '17',
        hosts: 'a.example.com',
        address: 'http://p:1',
        path: certificateFile(SETTINGS_FOLDER),
        name: 'me',
      };
      return { name, variable, text: values[name] ?? samples[value] ?? '' };
    },
  );
  const byOption = configOf(
    given.flatMap(({ name, text }) => [`--${name}`, text]),
    {},
  );
  const byVariable = configOf([], Object.fromEntries(given.map(({ variable, text }) => [variable, text])));
  const path = settingsFile(Object.fromEntries(given.map(({ name, text }) => [name, text])));
  expect(byVariable).toEqual(byOption);
  expect(configOf(['--config', path], {})).toEqual(byOption);
  expect(configOf([], { BATUTA_AGENT_CONFIG: path })).toEqual(byOption);
});

test('the key is read from a file without the line break around it', () => {
  expect(configOf(['--key-file', keyFile('secret\n')], { BATUTA_ROUTER_URL: 'http://x' }).key).toBe('secret');
});

test('a key of a more important source replaces a key file of a less important one, and the reverse', () => {
  const path = settingsFile({ 'key-file': keyFile('in file') });
  expect(configOf(['--config', path], env).key).toBe('from-env');
  expect(configOf(['--key-file', keyFile('secret')], env).key).toBe('secret');
});

test.each<[string, unknown, RegExp]>([
  ['an unknown name', { capcity: 3, nme: 'x' }, /"capcity" is no setting[^]*"nme" is no setting/],
  ['a value of another type', { capacity: { a: 1 } }, /"capacity" must be a text, a number or a list/],
  ['text that is not JSON', '{"key": "s3cret"', /agent\.json is not JSON/],
  ['a list', [1], /must be a JSON object/],
  ['a wrong value', { capacity: 0 }, /BATUTA_AGENT_CAPACITY: must be/],
  ['a wrong host', { 'deny-hosts': ['http://x'] }, /BATUTA_AGENT_DENY_HOSTS: must list hosts/],
  ['a proxy whose password is not encoded', { 'https-proxy': 'http://u:s3cret%@p:1' }, /HTTPS_PROXY: .*written as %25/],
  ['a proxy of another kind', { 'http-proxy': 'socks5://x' }, /HTTP_PROXY: must be the address of an HTTP proxy/],
])('a settings file with %s is refused by name and without its values', (_rule, content, message) => {
  const read = () => configOf(['--config', settingsFile(content)], env);
  expect(read).toThrow(message);
  expect(read).not.toThrow(/s3cret/);
});

test.each<[string[], RegExp]>([
  [['--config', '/nowhere/agent.json'], /\/nowhere\/agent\.json cannot be read/],
  [['--key-file', '/nowhere/key'], /BATUTA_AGENT_KEY_FILE: the file \/nowhere\/key cannot be read: ENOENT/],
  [['--key-file', '/nowhere/key', '--key', 'x'], /BATUTA_AGENT_KEY_FILE: must not be given together/],
  [['--ca-file', '/nowhere/ca.pem'], /BATUTA_AGENT_CA_FILE: the file \/nowhere\/ca\.pem cannot be read: ENOENT/],
  [['--ca-file', __filename], /BATUTA_AGENT_CA_FILE: the file .* contains no certificate in the form PEM/],
  [['jump'], /"jump" is no command; the commands are run, doctor, install-service, uninstall-service/],
])('the command line refuses the arguments %j', (argv, message) => {
  expect(() => readCommand(argv, env)).toThrow(message);
});

test('the help names every option and its variable', () => {
  const help = readCommand(['--help'], {});
  const text = help.kind === 'help' ? help.text : '';
  for (const { name, variable } of AGENT_OPTIONS) expect(text).toMatch(new RegExp(`--${name} <[^]*${variable}`));
});

test('a service gets all given settings, with secrets themselves instead of their files', () => {
  const proxy = join(SETTINGS_FOLDER, 'proxy');
  writeFileSync(proxy, 'http://user:secret@proxy.example.com:3128\n');
  const path = settingsFile({
    'key-file': keyFile('secret'),
    'https-proxy-file': proxy,
    capacity: 9,
    'drain-seconds': 50,
  });
  const argv = [
    'install-service',
    '--config',
    path,
    '--url',
    'http://x',
    '--print',
    '--platform',
    'win32',
    '--user',
    'bot',
  ];
  expect(readCommand(argv, { UNRELATED: 'x' })).toEqual({
    kind: 'install-service',
    platform: 'win32',
    service: 'batuta-agent',
    print: true,
    settings: {
      environment: {
        BATUTA_ROUTER_URL: 'http://x',
        BATUTA_AGENT_KEY: 'secret',
        HTTPS_PROXY: 'http://user:secret@proxy.example.com:3128',
        BATUTA_AGENT_CAPACITY: '9',
        BATUTA_AGENT_DRAIN_SECONDS: '50',
      },
      user: 'bot',
      stopSeconds: 70,
    },
  });
});

test('a service of this machine gets absolute paths, because it runs in another folder', () => {
  const paths = ['--log-file', 'logs/agent.log', '--ca-file', relative('.', certificateFile(SETTINGS_FOLDER))];
  const words = ['--state-folder', 'none', '--browser', 'off'];
  const command = readCommand(['install-service', '--print', ...paths, ...words], env);
  expect(command).toMatchObject({
    settings: {
      environment: {
        BATUTA_AGENT_LOG_FILE: resolve('logs/agent.log'),
        BATUTA_AGENT_CA_FILE: certificateFile(SETTINGS_FOLDER),
        BATUTA_AGENT_STATE_FOLDER: 'none',
        BATUTA_AGENT_BROWSER: 'off',
      },
    },
  });
});

test('a service trusts the authorities of NODE_EXTRA_CA_CERTS, which it would not inherit', () => {
  const command = readCommand(['install-service', '--print'], { ...env, NODE_EXTRA_CA_CERTS: 'authority.pem' });
  expect(command).toMatchObject({ settings: { environment: { NODE_EXTRA_CA_CERTS: resolve('authority.pem') } } });
});

test('a service that is printed for another system keeps the path of a file there', () => {
  const path = String.raw`C:\batuta\authority.pem`;
  const platform = process.platform === 'win32' ? 'linux' : 'win32';
  const command = readCommand(['install-service', '--print', '--platform', platform, '--ca-file', path], env);
  expect(command).toMatchObject({ settings: { environment: { BATUTA_AGENT_CA_FILE: path } } });
});

test('a further service of a machine has a name of its own, for its installation and its removal', () => {
  const service = 'batuta-agent-orders';
  expect(readCommand(['install-service', '--service', 'orders'], env)).toMatchObject({ service });
  expect(readCommand(['uninstall-service', '--service', 'orders'], {})).toMatchObject({ service });
});

test.each<[string[], RegExp]>([
  [['install-service', '--service', '../sshd'], /--service: must be 1 to 18 small letters/],
  [['uninstall-service', '--service', '-a'], /--service/],
  [['install-service'], /BATUTA_ROUTER_URL: is missing/],
  [['install-service', '--print', '--platform', 'sunos'], /There are no services for "sunos"/],
  [['install-service', '--url', 'http://x', '--key', 'k', '--user', 'a\nb'], /--user: must be/],
  [['uninstall-service', '--key', 'k'], /--key/],
])('the command line refuses the service arguments %j', (argv, message) => {
  expect(() => readCommand(argv, {})).toThrow(message);
});

test.each(['run', 'doctor', 'install-service', 'uninstall-service'])('%s has a help of its own', (name) => {
  expect(readCommand([name, '--help'], {})).toMatchObject({ kind: 'help', text: expect.stringContaining(name) });
});
