import type { ServerResponse } from 'node:http';
import { testBrowser } from '../../../test/browser';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { PageServer } from '../../../test/page-server';

const sandbox = useSandbox({ workers: 1 });
let pages: PageServer;

const file = (bytes: number) => (_request: unknown, response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(Buffer.alloc(bytes));

beforeAll(async () => {
  pages = await PageServer.create({
    '/': '<a id="large" href="/large" download>large</a> <a id="small" href="/small" download>small</a>',
    '/large': file(6 * 1024 * 1024),
    '/small': file(10),
  });
});
afterAll(() => pages.close());

test('a download that is too large does not count in the size of the next one', async () => {
  const world = createFlowWorld(sandbox, { browser: await testBrowser() });
  const download = (selector: string) => [
    { action: 'open', url: pages.url } as const,
    { action: 'download', selector } as const,
  ];
  const end = await world.run([
    { name: 'large', type: 'browser', as: 'large', actions: download('#large'), onError: [{ to: 'small' }] },
    { name: 'small', type: 'browser', as: 'small', actions: download('#small') },
  ]);
  expect(world.messages()).toContain('the download large has more than 5242880 bytes');
  expect(end).toMatchObject({ outcome: 'FINALIZED' });
});
