import { testBrowser } from '../../../test/browser';
import { browserStep } from '../../../test/browser-step';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { PageServer } from '../../../test/page-server';

const sandbox = useSandbox({ workers: 1 });
let pages: PageServer;

beforeAll(async () => {
  pages = await PageServer.create({
    '/': '<iframe id="main" src="/login"></iframe>',
    '/login': '<input id="user">',
    '/orders': '<div id="main">orders</div>',
  });
});
afterAll(() => pages.close());

test('a picture can be taken of a page that has another element in place of the frame in which an earlier page got a secret', async () => {
  const world = createFlowWorld(sandbox, { browser: await testBrowser() });
  const matrix = [{ name: 'server', type: 'Texto', value: pages.url }];
  const end = await world.run(
    [
      browserStep([
        { action: 'open', url: '{matrix.server}' },
        { action: 'fill', selector: '#user', frame: '#main', value: '{vault.USER}' },
        { action: 'open', url: '{matrix.server}/orders' },
        { action: 'screenshot' },
      ]),
    ],
    { matrix, vault: { USER: 'secret-user' } },
  );
  expect(end.errorMessage).toBeNull();
  expect(world.messages()).toContain(`picture of ${pages.url}/orders`);
});
