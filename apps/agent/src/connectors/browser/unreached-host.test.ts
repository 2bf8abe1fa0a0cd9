import { testBrowser } from '../../../test/browser';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { PageServer } from '../../../test/page-server';
import { CLOSED_PORT } from '../../../test/tls-world';

const [FIRST, SECOND] = [`127.0.0.1:${CLOSED_PORT}`, `127.0.0.2:${CLOSED_PORT}`];
const PAGE = `<p id="done" hidden>x</p><script>
  const ask = (host) => fetch('http://' + host + '/').catch(() => 0);
  ask('${FIRST}').then(() => ask('${SECOND}')).then(() => { done.hidden = false });
</script>`;

const MANY_PAGE = `<p id="done" hidden>x</p><script>
  const asks = Array.from({ length: 60 }, (_, n) => fetch('http://127.0.0.' + (n + 3) + ':${CLOSED_PORT}/').catch(() => 0));
  Promise.all(asks).then(() => { done.hidden = false });
</script>`;

const sandbox = useSandbox({ workers: 1 });
let pages: PageServer;

beforeAll(async () => {
  pages = await PageServer.create({
    '/': PAGE,
    '/many': MANY_PAGE,
    '/empty': (_request, response) => response.writeHead(204).end(),
  });
});
afterAll(() => pages.close());

/** The message of a step that opens an address after a page that has asked for hosts which it did not reach. */
async function failureAfterPage(address: string, path = '/'): Promise<string | null> {
  const world = createFlowWorld(sandbox, { browser: await testBrowser() });
  const end = await world.run([
    {
      name: 'look',
      type: 'browser',
      actions: [
        { action: 'open', url: pages.url + path },
        { action: 'waitFor', selector: '#done' },
        { action: 'open', url: address },
      ],
    },
  ]);
  return end.errorMessage;
}

test('a failed action names the host that it did not reach, and not one that a page asked for in between', async () => {
  expect(await failureAfterPage(`http://${FIRST}/`)).toContain(`action 3 (open): cannot connect to ${FIRST}`);
});

test('an action that fails although it reached its host names none that an earlier page did not reach', async () => {
  const address = `${pages.url}/empty`;
  expect(await failureAfterPage(address)).toBe(`Step "look": action 3 (open): net::ERR_ABORTED at ${address}`);
});

test('a failed action names its host also after a page has asked for more hosts than are remembered', async () => {
  const message = await failureAfterPage(`http://${FIRST}/`, '/many');
  expect(message).toContain(`action 3 (open): cannot connect to ${FIRST}`);
});
