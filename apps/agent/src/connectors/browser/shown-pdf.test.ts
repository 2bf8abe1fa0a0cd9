import { testBrowser } from '../../../test/browser';
import { browserStep } from '../../../test/browser-step';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { PageServer } from '../../../test/page-server';

const sandbox = useSandbox({ workers: 1 });
let pages: PageServer;

beforeAll(async () => {
  pages = await PageServer.create({
    '/': '<a id="here" href="/nota">nota</a> <a id="tab" href="/nota" target="_blank">nota</a> <a id="part" href="/nota#page=2">nota</a>',
    '/nota': (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.4\ntrailer<<>>\n%%EOF');
    },
  });
});
afterAll(() => pages.close());

test.each(['#here', '#tab', '#part'])(
  'a download that finds a PDF in the viewer of the browser says so: %s',
  async (selector) => {
    const world = createFlowWorld(sandbox, { browser: await testBrowser() });
    const end = await world.run([
      browserStep([
        { action: 'open', url: pages.url },
        { action: 'download', selector, timeoutSeconds: 10 },
      ]),
    ]);
    expect(end.errorMessage).toMatch(
      /no download began within 10 s: the browser shows the PDF and does not download it$/,
    );
  },
);
