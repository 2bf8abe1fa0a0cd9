import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenOnFreePort } from '../../../../test/support/web-server';
import { readAgentConfig, type AgentConfig } from '../config';
import { FakeRouter } from '../../test/fake-router';
import { CLOSED_PORT, ProxyServer, tlsServer } from '../../test/tls-world';
import { ensureBrowser } from '../../../../scripts/lib/servers.cjs';
import { checkBrowser } from './browser-check';
import { diagnose, diagnosisText } from './doctor';
import { tableOf, type Finding } from './finding';
import {
  checkAbilities,
  checkDisk,
  checkMemory,
  checkNode,
  diskFinding,
  MIN_NODE_VERSION,
  requireNode,
} from './machine-checks';
import {
  checkCertificate,
  checkClock,
  checkRouterConnection,
  checkRouterName,
  checkUpgrade,
  clockFinding,
} from './router-checks';

let router: FakeRouter;
const httpServer = createServer((_request, response) => response.writeHead(404).end());
const httpsServer = tlsServer();
let plainPort: number;
let tlsPort: number;

beforeAll(async () => {
  router = await FakeRouter.create();
  plainPort = await listenOnFreePort(httpServer);
  tlsPort = await listenOnFreePort(httpsServer);
});
afterAll(async () => {
  await router.close();
  for (const server of [httpServer, httpsServer]) {
    server.closeAllConnections();
    server.close();
  }
});
beforeEach(() => {
  router.refuseWith = undefined;
});

const configOf = (url: string, env: NodeJS.ProcessEnv = {}): AgentConfig =>
  readAgentConfig({
    BATUTA_ROUTER_URL: url,
    BATUTA_AGENT_KEY: 's3cret',
    BATUTA_AGENT_ISOLATION: 'none',
    BATUTA_AGENT_STATE_FOLDER: 'none',
    ...env,
  });
const stateOf = ({ state, found, advice }: Finding) =>
  `${state}: ${found}${advice === undefined ? '' : ` → ${advice}`}`;

test('with a router that accepts the key every check of the connection is ok, and no session begins', async () => {
  const diagnosis = await diagnose({ config: configOf(router.url, { BATUTA_AGENT_BROWSER: 'off' }) });
  expect(diagnosis).toMatchObject({ ok: true, version: expect.any(String) });
  expect(diagnosis.checks.map(({ check, state }) => `${check} ${state}`)).toEqual([
    'node ok',
    'settings ok',
    'name ok',
    'connection ok',
    'certificate warning',
    'router ok',
    'clock ok',
    'browser ok',
    'key warning',
    expect.stringMatching(/^memory /),
    'isolation ok',
    expect.stringMatching(/^abilities /),
    'ocr ok',
    expect.stringMatching(/^disk /),
  ]);
  expect((await router.nextSession()).frames).toEqual([]);
});

test('wrong settings are a fault that names them, and the machine is still checked', async () => {
  const problem = 'Settings are wrong:\n  BATUTA_ROUTER_URL: is missing\n  BATUTA_AGENT_KEY: is missing';
  const diagnosis = await diagnose({ problem });
  expect(diagnosis.ok).toBe(false);
  expect(diagnosis.checks.map(({ check }) => check)).toEqual(['node', 'settings', 'abilities', 'ocr', 'disk']);
  expect(diagnosisText(diagnosis, false)).toContain(
    'FAULT    settings   Settings are wrong: BATUTA_ROUTER_URL: is missing; BATUTA_AGENT_KEY: is missing',
  );
});

test('the table and the JSON never show the key', async () => {
  const diagnosis = await diagnose({ config: configOf(router.url, { BATUTA_AGENT_BROWSER: 'off' }) });
  expect(diagnosisText(diagnosis, false) + diagnosisText(diagnosis, true)).not.toContain('s3cret');
  expect(JSON.parse(diagnosisText(diagnosis, true))).toEqual(diagnosis);
});

test.each<[number, RegExp]>([
  [401, /status 401 → give the activation key/],
  [403, /status 403 → ask whoever runs the router/],
  [404, /status 404 → check the path/],
  [429, /status 429 → close other agents/],
  [503, /status 503 → wait/],
])('a router that refuses with %i is a fault with its advice', async (status, expected) => {
  router.refuseWith = status;
  expect(stateOf(await checkUpgrade(configOf(router.url)))).toMatch(expected);
});

test('the reason that a router gives for a refusal is shown', async () => {
  const body = '{"error":{"code":"INVALID_CREDENTIAL","message":"send an activation key"}}';
  const refusing = createServer().on('upgrade', (_request, socket) => {
    socket.end(`HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  });
  const found = stateOf(await checkUpgrade(configOf(`http://127.0.0.1:${await listenOnFreePort(refusing)}`)));
  expect(found).toMatch(/status 401: send an activation key → give the activation key/);
  refusing.close();
});

test('a web server that is no router is a fault', async () => {
  expect(stateOf(await checkUpgrade(configOf(`http://127.0.0.1:${plainPort}`)))).toMatch(
    /^fault: .*404 → check the path/,
  );
});

test('a name without an address and a closed port are faults', async () => {
  expect(stateOf(await checkRouterName(configOf('https://no-such-router.invalid')))).toMatch(
    /^fault: .*no address.*→ .*DNS/,
  );
  expect(stateOf(await checkRouterConnection(configOf(`http://127.0.0.1:${CLOSED_PORT}`)))).toMatch(
    /^fault: the router .*ECONNREFUSED.*→ .*firewall/,
  );
  const config = configOf('http://router.invalid', { HTTP_PROXY: `http://127.0.0.1:${CLOSED_PORT}` });
  expect(stateOf(await checkRouterConnection(config))).toMatch(
    /^fault: the proxy .*ECONNREFUSED.*→ check the address of the proxy/,
  );
});

test('a certificate of an unknown authority, and a port without TLS, are faults', async () => {
  expect(stateOf(await checkCertificate(configOf(`https://localhost:${tlsPort}`)))).toMatch(
    /^fault: not trusted: DEPTH_ZERO_SELF_SIGNED_CERT → .*--ca-file/,
  );
  expect(stateOf(await checkCertificate(configOf(`https://localhost:${plainPort}`)))).toMatch(
    /^fault: no TLS with localhost: wrong version number → /,
  );
});

test('with a proxy the name and the connection that are checked are those of the proxy', async () => {
  const proxy = await ProxyServer.create();
  const config = configOf(`https://router.invalid:${tlsPort}`, { HTTPS_PROXY: proxy.url });
  expect(stateOf(await checkRouterName(config))).toBe('ok: 127.0.0.1 is an address');
  expect(stateOf(await checkRouterConnection(config))).toMatch(/^ok: the proxy 127\.0\.0\.1 takes connections/);
  expect(stateOf(await checkUpgrade(config))).toMatch(/^fault: no WebSocket: .*certificate/);
  expect(proxy.requests).toEqual([expect.stringContaining(`CONNECT router.invalid:${tlsPort}`)]);
  proxy.close();
});

test('the clock is compared with the date of the router’s answer', async () => {
  const config = configOf(router.url);
  expect(stateOf(await checkClock(config, Date.now))).toMatch(/^ok/);
  expect(stateOf(await checkClock(config, () => Date.now() - 3_600_000))).toMatch(/^fault: .*behind.*→ .*NTP/);
});

test.each<[number, RegExp]>([
  [500, /^ok: as that of the router$/],
  [30_500, /^ok: 30 s ahead of that of the router$/],
  [-29_500, /^ok: 30 s behind/],
  [32_500, /^fault: 32 s ahead of that of the router → /],
])('a difference of %i ms to a time cut to seconds is %s', (difference, expected) => {
  expect(stateOf(clockFinding(difference))).toMatch(expected);
});

test.each<[string, Finding['state']]>([
  ['24.5.0', 'ok'],
  ['24.21.0', 'ok'],
  ['26.0.0', 'ok'],
  ['24.4.9', 'fault'],
  ['22.20.0', 'fault'],
])('Node.js %s is %s', (version, state) => {
  expect(checkNode(version).state).toBe(state);
});

test('an agent on an older Node.js ends with a sentence that names both releases', () => {
  expect(() => requireNode('20.20.2')).toThrow('This is Node.js 20.20.2: install Node.js 24.5.0 or a later one');
  expect(() => requireNode('24.5.0')).not.toThrow();
});

test('a folder that cannot be written is a fault, and the check leaves no file in a folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'batuta-doctor-test-'));
  expect(await checkDisk('disk', folder)).toMatchObject({ check: 'disk' });
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
  expect(stateOf(await checkDisk('disk', folder))).toMatch(/^fault: .*cannot be written.*ENOENT/);
});

test('the folder of the log may be missing, because the agent makes it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'batuta-doctor-test-'));
  const logCheck = async (path: string) => {
    const config = configOf(router.url, { BATUTA_AGENT_BROWSER: 'off', BATUTA_AGENT_LOG_FILE: path });
    return (await diagnose({ config })).checks.find(({ check }) => check === 'log');
  };
  expect(await logCheck(join(folder, 'a/b/agent.log'))).toMatchObject({
    found: expect.stringContaining(`at ${folder}`),
  });
  expect(await logCheck(join(__filename, 'agent.log'))).toMatchObject({ state: 'fault' });
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

test.each<[number, Finding['state']]>([
  [5000, 'ok'],
  [500, 'warning'],
  [99, 'fault'],
])('%i MB of free disk are %s', (megabytes, state) => {
  expect(diskFinding('disk', '/tmp', megabytes).state).toBe(state);
});

test('the npm package and the doctor require the same release of Node', () => {
  const script = readFileSync(join(__dirname, '../../../../scripts/lib/agent-package.cjs'), 'utf8');
  expect(script).toContain(`const MIN_NODE_VERSION = '${MIN_NODE_VERSION}';`);
});

test('too little memory for the executions is a fault', () => {
  const together = configOf(router.url);
  expect(checkMemory(together, 2 ** 30).state).toBe('ok');
  expect(stateOf(checkMemory(together, 2 ** 28))).toBe(
    'fault: 256 MB available; the agent needs up to 342 MB → give the machine more memory, or lower --sandbox-workers or --sandbox-memory-mb',
  );
  const inProcesses = configOf(router.url, { BATUTA_AGENT_ISOLATION: 'process', BATUTA_AGENT_CAPACITY: '10' });
  expect(stateOf(checkMemory(inProcesses, 2 ** 30))).toBe(
    'fault: 1024 MB available; the agent needs up to 1490 MB → give the machine more memory, or lower --capacity or --sandbox-memory-mb',
  );
});

test('the browser is started, and a missing one or one that does not start is a warning', async () => {
  const program = await ensureBrowser();
  expect(await checkBrowser({ program, sandbox: false })).toMatchObject({
    state: 'warning',
    found: expect.stringMatching(/version \d+.*, without its sandbox$/),
  });
  // Chromium ends at once when its folder for temporary files has a long path.
  const folder = mkdtempSync(join(tmpdir(), `batuta-${'long'.repeat(20)}-`));
  const TMPDIR = process.env['TMPDIR'] ?? '/tmp';
  process.env['TMPDIR'] = folder;
  expect(await checkBrowser({ program, sandbox: true })).toMatchObject({ found: expect.stringMatching(/version \d+/) });
  process.env['TMPDIR'] = TMPDIR;
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
  expect(stateOf(await checkBrowser({ program: '/opt/missing', sandbox: true }))).toMatch(
    /^warning: \/opt\/missing is not a program that runs → install Chromium/,
  );
  expect(stateOf(await checkBrowser({ program: process.execPath, sandbox: true }))).toMatch(
    /^warning: the browser \S+ does not start: .*→ browser steps fail/,
  );
});

test('step types that the agent does not run are named', () => {
  expect(checkAbilities(['a', 'b'], ['a', 'b'])).toMatchObject({ state: 'ok' });
  expect(stateOf(checkAbilities(['a'], ['a', 'b']))).toMatch(/^warning: runs a; does not run b →/);
});

test('the table has one line for each finding and its advice below it', () => {
  const findings: Finding[] = [
    { check: 'a', state: 'ok', found: 'good' },
    { check: 'long', state: 'fault', found: 'bad', advice: 'repair it' },
  ];
  expect(tableOf(findings)).toBe(
    'ok       a     good\nFAULT    long  bad\n               → repair it\n\n1 of 2 checks found a fault.\n',
  );
  expect(tableOf(findings.slice(0, 1))).toMatch(/The agent can work\.\n$/);
});
