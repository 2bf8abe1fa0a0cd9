import { testBrowser } from '../../../test/browser';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { PageServer } from '../../../test/page-server';

const sandbox = useSandbox({ workers: 1 });
let pages: PageServer;

beforeAll(async () => {
  pages = await PageServer.create({
    '/': ({ headers: { authorization } }, response) => {
      const status = authorization === undefined ? 401 : 403;
      const login = { 'www-authenticate': 'Basic realm=shop', 'content-type': 'text/plain' };
      response.writeHead(status, login).end(authorization);
    },
  });
});
afterAll(() => pages.close());

test('the password in the address of a page logs in, and the log does not show it in any form', async () => {
  const world = createFlowWorld(sandbox, { browser: await testBrowser() });
  const url = pages.url.replace('//', '//ana:s3cret%23%77ord@');
  const end = await world.run([
    {
      name: 'look',
      type: 'browser',
      actions: [{ action: 'open', url }, { action: 'readText', selector: 'body' }, { action: 'screenshot' }],
      as: 'page',
      routes: [{ to: 'show' }],
    },
    {
      name: 'show',
      type: 'variables',
      rows: [{ name: 'shown', mode: 'Variável ou texto', value: '{page} at {currentUrl}' }],
    },
  ]);
  expect(end.errorMessage).toBeNull();
  expect(world.messages()).toContain('//ana:•••@127.0.0.1');
  expect(world.messages()).toMatch(/answered 403\n.*shown = "Basic \w*•••/s);
  expect(world.messages()).not.toMatch(/s3cret|word/);
});
