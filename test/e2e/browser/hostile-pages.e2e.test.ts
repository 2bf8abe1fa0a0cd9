import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Step, StepOf } from '@batuta/flow';
import { testBrowser } from '../../../apps/agent/test/browser';
import { waitUntil } from '../../support/wait-until';
import { browserProcesses, mainBrowserProcesses, rendererProcesses } from '../../../apps/agent/test/browser-processes';
import { createFlowWorld, useSandbox, type FlowWorld } from '../../../apps/agent/test/flow-world';
import { PageServer } from '../../../apps/agent/test/page-server';
import type { Effects } from '../../../apps/agent/src/execution/effects';
import { hostAccess } from '../../../apps/agent/src/network/host-access';
import { agentHostRules } from '../../../apps/agent/src/network/agent-host-rules';

type BrowserActions = StepOf<'browser'>['actions'];

let server: PageServer;
/** A server to which the agent of one test may not connect; it records the requests that reach it. */
let denied: PageServer;
let browser: Effects['browser'];
let world: FlowWorld;
const sandbox = useSandbox({ workers: 1 });
const udpListener = createSocket('udp4');
/** Datagrams that a page has sent to `udpListener` by WebRTC. */
let datagrams = 0;

beforeAll(async () => {
  browser = await testBrowser();
  denied = await PageServer.create({ '/': 'secret', '/image': 'secret' });
  udpListener.on('message', () => (datagrams += 1)).bind(0, '127.0.0.1');
  await once(udpListener, 'listening');
  server = await PageServer.create({
    '/': '<p id="fine">fine</p>',
    '/never': () => undefined,
    '/stuck': '<p>stuck</p><script>while (true) {}</script>',
    '/alerts': '<p>alerts</p><script>while (true) alert("again")</script>',
    '/windows': `<button onclick="for (let i = 0; i < 200; i++) window.open('/')">open</button>
      <script>for (let i = 0; i < 200; i++) window.open('/');</script>`,
    '/to-metadata': (_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
    '/to-file': '<a href="file:///etc/passwd">passwd</a><a href="chrome://version">version</a>',
    '/endless': '<a href="/stream" download>stream</a>',
    '/stream': (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      const write = () => {
        while (response.write(Buffer.alloc(64 * 1024)));
      };
      response.on('drain', write).on('close', () => response.destroy());
      write();
    },
    '/focus': '<input id="focus" autofocus><p id="ready">ready</p>',
    '/hanging-key': '<script>onkeydown = () => { for (;;); }</script>',
    '/slow': '<a href="/never-ends" download>slow</a>',
    '/never-ends': (_request, response) => response.writeHead(200, { 'content-type': 'application/pdf' }).write('x'),
    '/liar': `<p id="liar">x</p><script>String.prototype.slice = () => ({ a: 1 })</script>`,
    '/alerts-of': `<script>for (let i = 0; i < 30; i++) alert('alert ' + i + ' ' + location.hash)</script>`,
    '/long': `<p id="long"></p><script>long.innerText = 'x'.repeat(2e6)</script>`,
    '/spy': `<ol id="out"></ol><script>
      const target = '127.0.0.1:${denied.port}';
      const say = (text) => { const line = document.createElement('li'); line.innerText = text; out.append(line); };
      fetch('http://' + target + '/', { mode: 'no-cors' }).then(() => say('fetch came'), () => say('fetch failed'));
      const image = new Image(); image.onload = () => say('image came'); image.onerror = () => say('image failed');
      image.src = 'http://localhost:${denied.port}/image';
      const socket = new WebSocket('ws://' + target + '/'); socket.onopen = () => say('socket came'); socket.onerror = () => say('socket failed');
      const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${udpListener.address().port}' }] });
      setTimeout(() => say('peer had time'), 300);
      peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    </script>`,
  });
});
afterAll(async () => {
  server.close();
  denied.close();
  udpListener.close();
});
beforeEach(() => {
  world = createFlowWorld(sandbox, { browser });
  server.requests.length = 0;
});

/** Runs the steps; throws when the execution leaves a process of its browser behind. */
const runSteps = async (...steps: Step[]) => {
  const end = await world.run(steps, { matrix: [{ name: 'server', type: 'Texto', value: server.url }] });
  if (browserProcesses().length > 0) throw new Error('a browser is still there');
  return end;
};
const browserStep = (name: string, actions: BrowserActions, rest: Partial<StepOf<'browser'>> = {}): Step => ({
  name,
  type: 'browser',
  actions,
  ...rest,
});
const openAction = (path: string, rest: { timeoutSeconds?: number } = {}): BrowserActions[number] => ({
  action: 'open',
  url: `{matrix.server}${path}`,
  ...rest,
});
const showStep = (name: string): Step => ({
  name: 'show',
  type: 'variables',
  rows: [{ name: 'seen', mode: 'Variável ou texto', value: `{${name}}` }],
});
/** A later step of the same execution. It proves that the execution still has a browser that works, the same one or a new one. */
const stepAfterAttack = browserStep('after', [openAction('/'), { action: 'readText', selector: '#fine' }], {
  as: 'text',
});
const toAfter = { onError: [{ to: 'after' }] };

describe('pages', () => {
  const HOSTILE: [what: string, actions: BrowserActions, rest: Partial<StepOf<'browser'>>, reason: string][] = [
    ['never loads', [openAction('/never', { timeoutSeconds: 1 })], {}, 'action 1 (open): not done within 1 s'],
    [
      'redirects to a metadata service',
      [openAction('/to-metadata')],
      {},
      'action 1 (open): the agent does not connect to 169.254.169.254',
    ],
    ['opens dialogs without end', [openAction('/alerts')], {}, 'action 1 (open): the page opens dialogs without end'],
    [
      'computes without end',
      [openAction('/stuck', { timeoutSeconds: 5 })],
      {},
      'action 1 (open): the page does not react',
    ],
    [
      'gives a download without end',
      [openAction('/endless'), { action: 'download', selector: 'a' }],
      { as: 'file' },
      'action 2 (download): the download stream has more than 5242880 bytes',
    ],
    [
      'gives a download that never ends',
      [openAction('/slow'), { action: 'download', selector: 'a' }],
      { as: 'file', timeoutSeconds: 5 },
      'action 2 (download): the download never-ends.pdf did not end within the time of the step',
    ],
    [
      'replaces the functions by which it is read',
      [openAction('/liar'), { action: 'readText', selector: '#liar' }],
      { as: 'text' },
      'action 2 (readText): the page gives something else than text there',
    ],
    [
      'shows more text than a step may read',
      [openAction('/long'), { action: 'readText', selector: '#long' }],
      { as: 'text' },
      'action 2 (readText): the page shows more than 1000000 characters there',
    ],
  ];

  // All attacks run in one execution; after each of them the next step gets the same browser or a new one.
  let end: unknown;
  let errors: Map<string, string>;
  beforeAll(async () => {
    const steps = HOSTILE.map(([what, actions, rest], index) =>
      browserStep(what, actions, { ...rest, onError: [{ to: HOSTILE[index + 1]?.[0] ?? 'after' }] }),
    );
    world = createFlowWorld(sandbox, { browser });
    end = await runSteps(...steps, stepAfterAttack);
    errors = new Map(
      world.lines.flatMap(({ severity, stepID, message }) => (severity === 'ERROR' ? [[stepID, message]] : [])),
    );
  });

  test.each(HOSTILE)(
    'a page that %s fails its step only, with the reason, and onError is taken',
    (what, _actions, _rest, reason) => {
      expect(errors.get(what)).toContain(`Step "${what}": ${reason}`);
      expect(end).toMatchObject({ outcome: 'FINALIZED' });
    },
  );
});

test('an action that is not done in the time of its step goes on in no later step', async () => {
  // A separate step opens the page, because a browser can take longer to start than the short time of the step that is cut off.
  const opens = browserStep('open', [openAction('/focus')], { routes: [{ to: 'look' }] });
  const types = browserStep('look', [{ action: 'type', value: 'x'.repeat(200_000) }], {
    timeoutSeconds: 2,
    onError: [{ to: 'next' }],
  });
  const next = browserStep('next', [openAction('/focus'), { action: 'readText', selector: '#focus' }], {
    as: 'text',
    routes: [{ to: 'show' }],
  });
  expect(await runSteps(opens, types, next, showStep('text'))).toMatchObject({ outcome: 'FINALIZED' });
  expect(world.messages()).toContain('action 1 (type): the page did not react within');
  expect(world.messages()).toContain('seen = ""');
});

test.each<BrowserActions[number]>([
  { action: 'type', value: 'x', timeoutSeconds: 1 },
  { action: 'press', key: 'x', timeoutSeconds: 1 },
])('an action without a selector ends at its own time limit: $action', async (action) => {
  const opens = browserStep('open', [openAction('/hanging-key')], { routes: [{ to: 'look' }] });
  const hangs = browserStep('look', [action], { timeoutSeconds: 20, ...toAfter });
  expect(await runSteps(opens, hangs, stepAfterAttack)).toMatchObject({ outcome: 'FINALIZED' });
  expect(world.messages()).toContain(`action 1 (${action.action}): the page did not react within 1 s`);
});

test('a step logs ten events of a page and the number of the others, and no part of a secret at the end of a long one', async () => {
  const secret = `token-${'s3cret'.repeat(60)}`;
  const actions: BrowserActions = [{ action: 'open', url: '{matrix.server}/alerts-of#{vault.TOKEN}' }];
  const matrix = [{ name: 'server', type: 'Texto', value: server.url }];
  await world.run([browserStep('look', actions)], { matrix, vault: { TOKEN: secret } });
  const warnings = world.lines.filter(({ severity }) => severity === 'WARNING').map(({ message }) => message);
  expect(warnings).toHaveLength(11);
  expect(warnings.at(-1)).toContain('and 20 more such events');
  expect(world.messages()).not.toContain('s3cret');
});

test('a page that opens windows without end gets none by itself, and one for a click', async () => {
  const actions: BrowserActions = [
    openAction('/windows'),
    { action: 'click', selector: 'button' },
    { action: 'switchTab', tab: 2 },
  ];
  expect((await runSteps(browserStep('look', actions))).errorMessage).toBe(
    'Step "look": action 3 (switchTab): there is no tab 2; the last one is 1',
  );
});

test('no address but http and https is opened, neither by an action nor by a link', async () => {
  const urls = ['file:///etc/passwd', 'chrome://version', 'javascript:alert(1)', 'data:text/html,x'];
  const opens = urls.map((url, index) =>
    browserStep(`open ${index}`, [{ action: 'open', url }], {
      onError: [{ to: urls[index + 1] ? `open ${index + 1}` : 'links' }],
    }),
  );
  const links: BrowserActions = [
    openAction('/to-file'),
    { action: 'click', selector: 'a', nth: 0 },
    { action: 'click', selector: 'a', nth: 1 },
    { action: 'waitFor', url: '**/to-file' },
  ];
  expect(await runSteps(...opens, browserStep('links', links))).toMatchObject({ outcome: 'FINALIZED' });
  for (const url of urls)
    expect(world.messages()).toContain(`action 1 (open): "${url}" is not an http or https address`);
});

test('no request of a page reaches a denied host: fetch, image, WebSocket or WebRTC', async () => {
  const rules = agentHostRules({ deny: [`127.0.0.0/8:${denied.port}`] });
  world = createFlowWorld(sandbox, { browser, hostAccess: hostAccess(rules) });
  const actions: BrowserActions = [
    openAction('/spy'),
    { action: 'waitFor', selector: 'li:nth-child(4)' },
    { action: 'readText', selector: 'li', all: true },
  ];
  const sorted: Step = {
    name: 'show',
    type: 'variables',
    rows: [{ name: 'seen', mode: 'Fórmula', value: '{seenBy}.sort().join()' }],
  };
  await runSteps(browserStep('look', actions, { as: 'seenBy', routes: [{ to: 'show' }] }), sorted);
  expect(world.messages()).toContain('seen = "fetch failed,image failed,peer had time,socket failed"');
  expect(denied.requests).toEqual([]);
  expect(datagrams).toBe(0);
  const warnings = world.lines.filter(({ severity }) => severity === 'WARNING').map(({ message }) => message);
  expect(warnings).toContainEqual(
    expect.stringMatching(
      /a page asked for a host, but the agent does not connect to 127\.0\.0\.1, port \d+: .*BATUTA_AGENT_DENY_HOSTS/,
    ),
  );
});

describe.each<[string, () => number[]]>([
  ['browser', mainBrowserProcesses],
  ['renderer', rendererProcesses],
])('when the %s dies in the middle of a step', (what, pids) => {
  test('a step whose browser dies fails, and a later one has a new browser', async () => {
    const waiting = browserStep('look', [openAction('/'), { action: 'waitFor', text: 'nothing' }], toAfter);
    const ended = runSteps(waiting, stepAfterAttack);
    await waitUntil('the page is open', () => pids().length > 0 && server.requests.includes('GET /'));
    for (const pid of pids()) process.kill(pid, 'SIGKILL');
    expect(await ended).toMatchObject({ outcome: 'FINALIZED' });
    const reason = what === 'browser' ? 'the browser ended' : 'the page crashed';
    expect(world.messages()).toMatch(new RegExp(`ERROR Step "look": action \\d \\(\\w+\\): ${reason}`));
  });
});

test('a stop ends a browser step at once, with its processes, and the browser never had the settings of the agent', async () => {
  process.env['BATUTA_AGENT_KEY'] = 'activation-key';
  const ended = runSteps(
    browserStep('look', [openAction('/'), { action: 'waitFor', text: 'nothing' }], { timeoutSeconds: 600 }),
  );
  await waitUntil('the page is open', () => rendererProcesses().length > 0 && server.requests.includes('GET /'));
  expect(readFileSync(`/proc/${mainBrowserProcesses()[0]}/environ`, 'utf8')).not.toContain('activation-key');
  delete process.env['BATUTA_AGENT_KEY'];
  world.control.setDesired('stop');
  expect(await ended).toMatchObject({ outcome: 'STOPPED' });
});
