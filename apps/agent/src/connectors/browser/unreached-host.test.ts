import { testBrowser } from '../../../test/browser';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { PageServer } from '../../../test/page-server';
import { CLOSED_PORT } from '../../../test/tls-world';

const [FIRST, SECOND] = [`127.0.0.1:${CLOSED_PORT}`, `127.0.0.2:${CLOSED_PORT}`];
const PAGE = `<p id="done" hidden>x</p><script>
  const ask = (host) => fetch('http://' + host + '/').catch(() => 0);
  ask('${FIRST}').then(() => ask('${SECOND}')).then(() => { done.hidden = false });
</script>`;

const sandbox = useSandbox({ workers: 1 });
let pages: PageServer;

beforeAll(async () => {
  pages = await PageServer.create({ '/': PAGE });
});
afterAll(() => pages.close());

test('a failed action names the host that it did not reach, and not one that a page asked for in between', async () => {
  const world = createFlowWorld(sandbox, { browser: await testBrowser() });
  const end = await world.run([
    {
      name: 'look',
      type: 'browser',
      actions: [
        { action: 'open', url: pages.url },
        { action: 'waitFor', selector: '#done' },
        { action: 'open', url: `http://${FIRST}/` },
      ],
    },
  ]);
  expect(end.errorMessage).toContain(`action 3 (open): cannot connect to ${FIRST}`);
});
