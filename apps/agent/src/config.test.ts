import { routerAddress } from './config';
import { readCommand } from './settings/command-line';

const REQUIRED_SETTINGS = { BATUTA_ROUTER_URL: 'https://router.example.com', BATUTA_AGENT_KEY: 'from-env' };

test.each([
  ['http://host:1234', 'ws://host:1234/agent/v1'],
  ['https://host', 'wss://host/agent/v1'],
  ['ws://host/', 'ws://host/agent/v1'],
  ['wss://host/agent/v1', 'wss://host/agent/v1'],
  ['wss://host/agent/v1/', 'wss://host/agent/v1'],
  ['https://host/batuta/', 'wss://host/batuta/agent/v1'],
  ['ftp://host', undefined],
  ['host:1234', undefined],
  ['', undefined],
])('the router address %j becomes %j', (given, address) => {
  expect(routerAddress(given)).toBe(address);
});

test('an option overrides its environment variable', () => {
  const command = readCommand(['--key', 'typed', '--capacity', '7', '--name', 'Till 3'], REQUIRED_SETTINGS);
  expect(command).toMatchObject({ kind: 'run', config: { key: 'typed', capacity: 7, name: 'Till 3' } });
});

test('an absent setting has its default', () => {
  expect(readCommand([], REQUIRED_SETTINGS)).toMatchObject({
    config: { key: 'from-env', capacity: 5, stepLimit: 10_000, drainSeconds: 30, isolation: 'process' },
  });
});

test.each([
  ['1', 1],
  ['5', 2],
  ['1000', 4],
])('an agent with the capacity %s keeps %d processes ready', (capacity, warmProcesses) => {
  expect(readCommand(['--capacity', capacity], REQUIRED_SETTINGS)).toMatchObject({ config: { warmProcesses } });
});

test.each<[string[], RegExp]>([
  [['--url', 'nonsense'], /BATUTA_ROUTER_URL: must be/],
  [['--capacity', '0'], /BATUTA_AGENT_CAPACITY/],
  [['--name', '🤖'.repeat(121)], /BATUTA_AGENT_NAME: must be 1 to 120/],
  [['--capacity', 'many'], /BATUTA_AGENT_CAPACITY/],
  [['--key', 'with space'], /BATUTA_AGENT_KEY: must be an activation key/],
  [['--isolation', 'container'], /BATUTA_AGENT_ISOLATION: must be process or none/],
  [['--log-level', 'loud'], /BATUTA_AGENT_LOG_LEVEL/],
  [['--nonsense'], /nonsense/],
  [['extra'], /extra/],
])('the agent refuses the arguments %j', (argv, message) => {
  expect(() => readCommand(argv, REQUIRED_SETTINGS)).toThrow(message);
});

test('the error does not contain a wrong key', () => {
  expect(() => readCommand(['--key', 'my secret key'], REQUIRED_SETTINGS)).not.toThrow(/my secret/);
});

test.each([
  [['--help'], 'help'],
  [['-h'], 'help'],
  [['--version'], 'version'],
])('the command line %j requires no settings', (argv, kind) => {
  expect(readCommand(argv, {})).toMatchObject({ kind });
});
