import files from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { waitUntil } from '../../../../../test/support/wait-until';
import { testBrowser } from '../../../test/browser';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { PageServer } from '../../../test/page-server';
import { MAX_FILE_BYTES } from '../../execution/files/execution-files';

const sandbox = useSandbox({ workers: 1 });
const { readdir } = files;
let pages: PageServer;
let listing: jest.SpyInstance;
let isLargeOver = false;
/** How often the agent has looked at the size of the second download. */
let looks = 0;

const begin = (response: ServerResponse, bytes: number) => {
  response.writeHead(200, { 'content-type': 'application/octet-stream' }).write(Buffer.alloc(bytes));
};

beforeAll(async () => {
  pages = await PageServer.create({
    '/': '<a id="large" href="/large" download>large</a> <a id="small" href="/small" download>small</a>',
    '/large': (_request, response) => {
      begin(response, MAX_FILE_BYTES + 1);
      response.end();
    },
    '/small': (_request, response) => {
      begin(response, 10);
      void waitUntil('the agent looks at the size', () => looks > 1).then(() => response.end());
    },
  });
});
afterAll(() => pages.close());
// The agent does not see the file of the first download, as when all of it arrives between two looks.
beforeEach(() => {
  listing = jest.spyOn(files, 'readdir');
  listing.mockImplementation((folder: string) => {
    if (!isLargeOver) return Promise.resolve([]);
    looks += 1;
    return readdir(folder);
  });
});
afterEach(() => listing.mockRestore());

test('a download that is too large does not count in the size of the next one', async () => {
  const errors: string[] = [];
  const world = createFlowWorld(sandbox, {
    browser: await testBrowser(),
    log: ({ severity, message }) => {
      if (severity === 'ERROR') {
        errors.push(message);
        isLargeOver = true;
      }
      return Promise.resolve();
    },
  });
  const download = (selector: string) => [
    { action: 'open', url: pages.url } as const,
    { action: 'download', selector } as const,
  ];
  const end = await world.run([
    { name: 'large', type: 'browser', as: 'large', actions: download('#large'), onError: [{ to: 'small' }] },
    { name: 'small', type: 'browser', as: 'small', actions: download('#small') },
  ]);
  expect(errors.join()).toContain('the download large has more than 5242880 bytes');
  expect(end).toMatchObject({ outcome: 'FINALIZED' });
});
