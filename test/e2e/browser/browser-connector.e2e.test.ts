import type { Step } from '@batuta/flow';
import { testBrowser } from '../../../apps/agent/test/browser';
import { browserStep, type BrowserActions } from '../../../apps/agent/test/browser-step';
import { createFlowWorld, useSandbox, type FlowWorld } from '../../../apps/agent/test/flow-world';
import { PageServer } from '../../../apps/agent/test/page-server';
import type { Picture } from '../../../apps/agent/src/evidence/evidence-sink';
import type { Effects } from '../../../apps/agent/src/execution/effects';

const SHOP_PAGE = `<!doctype html><title>Shop</title><h1>Pedidos</h1>
  <form action="/sent"><input id="total" name="total"><input id="user" name="user"><textarea id="note" name="note"></textarea>
  <select id="state" name="state"><option value="RJ">Rio<option value="SP">São Paulo</select>
  <input type="checkbox" id="terms" name="terms"><button>Salvar</button></form>
  <table id="orders"><thead><tr><th>Pedido<th>Total</thead><tr><td>7<td>1.234,50<tr><td>8<td>2,00</table>
  <ul><li>um<li>dois</ul><a class="link" href="/other">outra</a><p style="display:none" id="hidden">x</p>
  <iframe id="outer" src="/outer"></iframe>`;

let server: PageServer;
let browser: Effects['browser'];
let world: FlowWorld;
let pictures: Picture[];
const sandbox = useSandbox({ workers: 1 });

beforeAll(async () => {
  browser = await testBrowser();
  server = await PageServer.create({
    '/shop': SHOP_PAGE,
    '/outer': '<iframe id="inner" src="/inner"></iframe>',
    '/inner': '<input id="deep" value="fundo">',
    '/sent': (request, response) => {
      const values = new URL(request.url ?? '', 'http://any').searchParams;
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(`<p id="got">${[...values].map(([name, value]) => `${name}=${value}`).join('|')}</p>`);
    },
    '/other': '<title>Outra</title><p id="where">outra página</p>',
    '/late': `<p id="late" hidden>pronto</p><script>setTimeout(() => { late.hidden = false; history.pushState({}, '', '/late?done'); }, 50)</script>`,
    '/popup': `<a id="open" href="/other" target="_blank">abrir</a><p id="first">primeira</p>`,
    '/files': `<a id="save" href="/invoice" target="_blank">nota</a><form method="post" action="/upload" enctype="multipart/form-data">
      <input type="file" name="file" id="file"><button>Enviar</button></form>`,
    '/invoice': (_request, response) => {
      response.setHeader('content-type', 'application/pdf');
      response.setHeader('content-disposition', 'attachment; filename="nota 7.pdf"');
      response.end('%PDF');
    },
    '/upload': (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const name = /filename="([^"]*)"\r\nContent-Type: (\S+)/
          .exec(Buffer.concat(chunks).toString())
          ?.slice(1)
          .join();
        response.setHeader('content-type', 'text/html');
        response.end(`<p id="got">${name} ${Buffer.concat(chunks).includes('%PDF')}</p>`);
      });
    },
    '/ask': `<script>document.title = confirm('Sure?') ? 'yes' : 'no'</script><p>asked</p>`,
    // A page that shows the colours of a picture which is pasted into it as base64.
    '/colors': `<textarea id="picture"></textarea><p id="colors"></p><script>
      picture.oninput = () => {
        const image = new Image();
        image.onload = () => {
          const canvas = document.createElement('canvas');
          canvas.width = image.width; canvas.height = image.height;
          const context = canvas.getContext('2d');
          context.drawImage(image, 0, 0);
          const at = (x, y) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3).join('-');
          colors.innerText = 'user ' + at(100, 50) + ', plain ' + at(400, 80);
        };
        image.src = 'data:image/png;base64,' + picture.value;
      };
    </script>`,
    '/frames': `${'<iframe></iframe>'.repeat(60)}<iframe srcdoc="<input type=password value=secret>"></iframe>`,
    '/login': `<body style="background: white"><input id="user" placeholder="user" style="position:absolute;left:0;top:0;width:200px;height:100px">
      <input id="plain" style="position:absolute;left:300px;top:0;width:200px;height:100px"></body>`,
  });
});
afterAll(async () => {
  server.close();
});
beforeEach(() => {
  pictures = [];
  const evidence = {
    keep: (picture: Picture) => Promise.resolve(`/v1/instances/i-1/evidence/${pictures.push(picture)}`),
  };
  world = createFlowWorld(sandbox, { browser, evidence });
});

const openAction = (path: string): BrowserActions[number] => ({ action: 'open', url: `${server.url}${path}` });
const showStep = (...names: string[]): Step => ({
  name: 'show',
  type: 'variables',
  rows: names.map((name, index) => ({ name: `v${index}`, mode: 'Variável ou texto', value: `{${name}}` })),
});
const toShow = { routes: [{ to: 'show' }] };
/** The log message with the value that the step `show` has read. */
const shownValue = () => world.messages().match(/v0 = .*/)?.[0];

test('fields are filled as a person would, with Moeda in Brazilian form, and the page is read', async () => {
  const matrix = [{ name: 'total', type: 'Moeda', value: 1234.5 }];
  const actions: BrowserActions = [
    openAction('/shop'),
    { action: 'readTable', selector: '#orders', into: 'orders' },
    { action: 'readText', selector: 'li', all: true, into: 'items' },
    { action: 'readAttribute', selector: 'a.link', attribute: 'href', into: 'link' },
    { action: 'readText', selector: '#deep', frame: ['#outer', '#inner'], into: 'deep' },
    { action: 'fill', selector: '#total', value: '{matrix.total}' },
    { action: 'fill', selector: '#user', value: '{page.orders.0.Pedido}' },
    { action: 'type', selector: '#note', value: 'abx' },
    { action: 'press', selector: '#note', key: 'Backspace' },
    { action: 'select', selector: '#state', options: 'São Paulo' },
    { action: 'check', selector: '#terms' },
    { action: 'click', selector: 'role=button[name=Salvar]' },
    { action: 'readText', selector: '#got', into: 'got' },
  ];
  const end = await world.run(
    [
      browserStep(actions, { as: 'page', ...toShow }),
      showStep('page.orders', 'page.items', 'page.link', 'page.deep', 'page.got', 'currentUrl', 'urlChanged'),
    ],
    { matrix },
  );
  expect(end).toMatchObject({ outcome: 'FINALIZED' });
  expect(shownValue()).toBe(
    'v0 = [{"Pedido":"7","Total":"1.234,50"},{"Pedido":"8","Total":"2,00"}], v1 = ["um","dois"], v2 = "/other", ' +
      'v3 = "fundo", v4 = "total=1.234,50|user=7|note=ab|state=SP|terms=on", ' +
      `v5 = "${server.url}/sent?total=1.234%2C50&user=7&note=ab&state=SP&terms=on", v6 = false`,
  );
});

test('an action waits for an element, a text and an address of the page', async () => {
  const actions: BrowserActions = [
    openAction('/late'),
    { action: 'waitFor', selector: '#late', text: 'pronto', url: '**/late?done' },
    { action: 'readText', selector: '#late' },
  ];
  await world.run([browserStep(actions, { as: 'text', ...toShow }), showStep('text')]);
  expect(shownValue()).toBe('v0 = "pronto"');
});

test('a tab that a page opens becomes the active one, until it is closed or another one is chosen', async () => {
  const actions: BrowserActions = [
    openAction('/popup'),
    { action: 'click', selector: '#open' },
    { action: 'readText', selector: '#where', into: 'popup' },
    { action: 'switchTab', tab: 0 },
    { action: 'readText', selector: '#first', into: 'first' },
    { action: 'switchTab', tab: 1 },
    { action: 'closeTab' },
    { action: 'readText', selector: '#first', into: 'last' },
  ];
  await world.run([browserStep(actions, { as: 'page', ...toShow }), showStep('page')]);
  expect(shownValue()).toBe('v0 = {"popup":"outra página","first":"primeira","last":"primeira"}');
});

test('a download becomes a file of the execution, which a later step of the same browser uploads', async () => {
  const upload: Step = {
    ...browserStep([
      { action: 'upload', selector: '#file', files: '{invoice.FILE}' },
      { action: 'click', selector: 'text=Enviar' },
      { action: 'readText', selector: '#got' },
    ]),
    name: 'upload',
    as: 'sent',
    ...toShow,
  };
  const fetch = browserStep([openAction('/files'), { action: 'download', selector: '#save' }], {
    as: 'invoice',
    routes: [{ to: 'upload' }],
  });
  await world.run([fetch, upload, showStep('sent', 'invoice.FILE', 'invoice.BUFFER')]);
  expect(shownValue()).toBe(
    `v0 = "nota 7.pdf,application/pdf true", v1 = "file:1/nota 7.pdf", v2 = "${Buffer.from('%PDF').toString('base64')}"`,
  );
});

test('dialogs of a page are dismissed, or accepted if the step says so, and logged', async () => {
  const actions: BrowserActions = [openAction('/ask'), { action: 'readText', selector: 'title' }];
  const accepting = { ...browserStep(actions, { as: 'yes', dialogs: 'accept', ...toShow }), name: 'accepting' };
  await world.run([
    browserStep(actions, { as: 'no', routes: [{ to: 'accepting' }] }),
    accepting,
    showStep('no', 'yes'),
  ]);
  expect(shownValue()).toBe('v0 = "no", v1 = "yes"');
  expect(world.messages()).toContain('WARNING Step "look": dismissed the confirm "Sure?"');
  expect(world.messages()).toContain('WARNING Step "accepting": accepted the confirm "Sure?"');
});

describe('evidence', () => {
  const vault = { PASSWORD: 's3cret-Pa55' };
  /** A step that reads the colours of a picture. */
  const colorsOf = (picture: string): Step => ({
    ...browserStep([
      openAction('/colors'),
      { action: 'fill', selector: '#picture', value: `{${picture}}` },
      { action: 'waitFor', text: 'user' },
      { action: 'readText', selector: '#colors' },
    ]),
    name: 'colors',
    as: 'colors',
    ...toShow,
  });

  test('a screenshot is kept, with its link in the log, and the fields with secrets are black in it', async () => {
    const actions: BrowserActions = [
      openAction('/login'),
      // This selector no longer matches once the field is filled, so the screenshot must find the field in another way.
      { action: 'fill', selector: '#user:placeholder-shown', value: '{vault.PASSWORD}' },
      { action: 'fill', selector: '#plain', value: 'visible' },
      { action: 'screenshot' },
    ];
    const steps = [
      browserStep(actions, { as: 'page', routes: [{ to: 'colors' }] }),
      colorsOf('page.evidence_BUFFER'),
      showStep('page.evidence', 'colors'),
    ];
    await world.run(steps, { vault });
    expect(pictures).toMatchObject([{ mediaType: 'image/png' }]);
    expect(shownValue()).toBe('v0 = "/v1/instances/i-1/evidence/1", v1 = "user 0-0-0, plain 255-255-255"');
    expect(world.lines.find(({ message }) => message.includes('picture of'))?.evidence).toBe(
      '/v1/instances/i-1/evidence/1',
    );
    expect(world.messages()).not.toContain(vault.PASSWORD);
  });

  test('a failed step names action and reason, takes onError, and leaves a picture and the link of it', async () => {
    const actions: BrowserActions = [
      openAction('/login'),
      { action: 'fill', selector: '#user', value: '{vault.PASSWORD}' },
      { action: 'click', selector: '#nothing', timeoutSeconds: 1 },
    ];
    const end = await world.run(
      [
        browserStep(actions, { onError: [{ to: 'colors' }] }),
        colorsOf('error.evidence_BUFFER'),
        showStep('errorDescription', 'error.evidence', 'colors'),
      ],
      { vault },
    );
    expect(end).toMatchObject({ outcome: 'FINALIZED' });
    expect(shownValue()).toBe(
      'v0 = "action 3 (click): not done within 1 s: the selector finds nothing", v1 = "/v1/instances/i-1/evidence/1", ' +
        'v2 = "user 0-0-0, plain 255-255-255"',
    );
    expect(world.lines.find(({ severity }) => severity === 'ERROR')?.evidence).toBe('/v1/instances/i-1/evidence/1');
  });

  test('a page with more frames than are searched for password fields is not pictured, on request or after a failure', async () => {
    const click: BrowserActions[number] = { action: 'click', selector: '#nothing', timeoutSeconds: 1 };
    await world.run([browserStep([openAction('/frames'), { action: 'screenshot' }, click])]);
    expect(world.messages()).toContain('kept no picture, because the page has more than 50 frames');
    expect(pictures).toEqual([]);
  });
});

test('an agent without a browser fails the step and says what is missing', async () => {
  world = createFlowWorld(sandbox);
  expect((await world.run([browserStep([openAction('/shop')])])).errorMessage).toBe(
    'Step "look": this machine has no browser: install Chromium, or name one by BATUTA_AGENT_BROWSER of the agent',
  );
});
