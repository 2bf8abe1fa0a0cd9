import { testBrowser } from '../../../test/browser';
import { browserStep } from '../../../test/browser-step';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { PageServer } from '../../../test/page-server';

const sandbox = useSandbox({ workers: 1 });
let pages: PageServer;

beforeAll(async () => {
  pages = await PageServer.create({
    '/': '<a href="/error" download="x.pdf">x</a>',
    '/error': (_request, response) => response.writeHead(500).end('no file'),
  });
});
afterAll(() => pages.close());

test('a download that is answered with an error fails its step with a reason that does not call it canceled', async () => {
  const world = createFlowWorld(sandbox, { browser: await testBrowser() });
  const actions = [{ action: 'open', url: pages.url } as const, { action: 'download', selector: 'a' } as const];
  const end = await world.run([browserStep(actions, { as: 'file' })]);
  expect(end.errorMessage).toMatch(
    /^Step "look": action 2 \(download\): the download \S+ failed: the server answered with an error, or did not send the whole file$/,
  );
});
