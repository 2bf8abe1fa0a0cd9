import type { Step } from '@batuta/flow';
import type { ServerResponse } from 'node:http';
import { testBrowser } from '../../../apps/agent/test/browser';
import { browserStep, type BrowserActions } from '../../../apps/agent/test/browser-step';
import { createFlowWorld, useSandbox, type FlowWorld } from '../../../apps/agent/test/flow-world';
import { PageServer } from '../../../apps/agent/test/page-server';
import type { Effects } from '../../../apps/agent/src/execution/effects';

/** Resolves when the page asks for `/leave`, with the response that the test ends to make the page leave. */
const leave = Promise.withResolvers<ServerResponse>();
/** Resolves when the page `/arrived` asks for `/here`: by then the agent has dismissed the page's dialog, and so knows the new address. */
const arrived = Promise.withResolvers<void>();

let server: PageServer;
let browser: Effects['browser'];
let world: FlowWorld;
const sandbox = useSandbox({ workers: 1 });

beforeAll(async () => {
  browser = await testBrowser();
  server = await PageServer.create({
    '/shop': '<h1>Pedidos</h1><p style="display:none" id="hidden">x</p><input id="deep">',
    // A page that leaves by itself when the browser gets the answer of `/leave`.
    '/leaving': `<script>fetch('/leave').then(() => { location = '/arrived'; })</script>`,
    '/leave': (_request, response) => leave.resolve(response),
    '/arrived': `<script>alert('arrived'); fetch('/here')</script>`,
    '/here': (_request, response) => {
      arrived.resolve();
      response.end();
    },
  });
});
afterAll(() => server?.close());
beforeEach(() => {
  world = createFlowWorld(sandbox, { browser });
});

const openAction = (path: string): BrowserActions[number] => ({ action: 'open', url: `${server.url}${path}` });

test('the routes of a step read what fastCheck found and whether the address of the tab changed', async () => {
  const first = browserStep([openAction('/shop'), { action: 'fastCheck', selector: 'text=Pedidos' }], {
    routes: [{ when: '{urlChanged} && {fastCheck} && {currentUrl}.endsWith("/shop")', to: 'again' }],
  });
  const again = {
    ...browserStep([
      { action: 'fastCheck', selector: '#hidden' },
      { action: 'waitFor', selector: '#hidden', state: 'hidden' },
    ]),
    name: 'again',
    rows: [{ name: 'before', mode: 'Variável ou texto' as const, value: '{currentUrl}' }],
    routes: [{ when: '!{urlChanged} && !{fastCheck}', terminate: true as const }],
  };
  expect(await world.run([first, again])).toMatchObject({ outcome: 'TERMINATED' });
  expect(world.messages()).toContain(`before = "${server.url}/shop"`);
});

test('{currentUrl} is read when a browser step begins, and not by the steps before it', async () => {
  const fetch = async () => {
    (await leave.promise).end();
    await arrived.promise;
    return new Response('{}');
  };
  world = createFlowWorld(sandbox, { browser, fetch });
  const row = (name: string) => ({ name, mode: 'Variável ou texto' as const, value: '{currentUrl}' });
  const call: Step = { name: 'call', type: 'rest', method: 'GET', url: 'http://x/', routes: [{ to: 'before' }] };
  const before: Step = { name: 'before', type: 'variables', rows: [row('earlier')], routes: [{ to: 'again' }] };
  const again = {
    ...browserStep([{ action: 'readText', selector: 'body' }]),
    name: 'again',
    rows: [row('begun')],
    routes: [{ when: '!{urlChanged}', terminate: true as const }],
  };
  const end = await world.run([
    browserStep([openAction('/leaving')], { routes: [{ to: 'call' }] }),
    call,
    before,
    again,
  ]);
  expect(end).toMatchObject({ outcome: 'TERMINATED' });
  expect(world.messages()).toContain(`earlier = "${server.url}/leaving"`);
  expect(world.messages()).toContain(`begun = "${server.url}/arrived"`);
});

test('the onError routes of a failed step read the address that its tab has reached', async () => {
  const reached = '{urlChanged} && {currentUrl}.endsWith("/shop")';
  const failing = browserStep([openAction('/shop'), { action: 'switchTab', tab: 5 }], {
    onError: [{ when: reached, terminate: true }],
  });
  expect(await world.run([failing])).toMatchObject({ outcome: 'TERMINATED' });
});

test.each<[string, BrowserActions[number]]>([
  ['a selector that finds nothing', { action: 'fastCheck', selector: '#nothing' }],
  ['a frame that does not exist', { action: 'fastCheck', selector: '#deep', frame: '#nothing' }],
  ['a selector that is malformed', { action: 'fastCheck', selector: '##' }],
])('fastCheck of %s is false and no error', async (_, check) => {
  const found: BrowserActions[number] = { action: 'fastCheck', selector: 'h1' };
  const looking = browserStep([openAction('/shop'), found, check], { routes: [{ to: 'show' }] });
  const rows = [{ name: 'shown', mode: 'Variável ou texto' as const, value: '{fastCheck}' }];
  await world.run([looking, { name: 'show', type: 'variables', rows }]);
  expect(world.messages()).toContain('shown = false');
});
