import files from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { waitUntil } from '../../../../../test/support/wait-until';
import { testBrowser } from '../../../test/browser';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { PageServer } from '../../../test/page-server';
import { BrowserSession } from './browser-session';
import { MAX_FILE_BYTES } from '../../execution/files/execution-files';

const sandbox = useSandbox({ workers: 1 });
const { readdir } = files;
let pages: PageServer;
let listing: jest.SpyInstance;
let awaiting: jest.SpyInstance<ReturnType<BrowserSession['nextDownload']>, [], BrowserSession>;
let isLargeOver: boolean;
/** How often the agent has looked at the size of the second download. */
let looks: number;

/** Closes the page once the agent knows of the download that the page has begun. */
async function closePageAtDownload(): Promise<void> {
  await awaiting.mock.results[0]?.value;
  await awaiting.mock.contexts[0]?.pages.at(-1)?.close();
}

const begin = (response: ServerResponse, bytes: number) => {
  response.writeHead(200, { 'content-type': 'application/octet-stream' }).write(Buffer.alloc(bytes));
};

beforeAll(async () => {
  pages = await PageServer.create({
    '/': '<a id="large" href="/large" download>large</a> <a id="small" href="/small" download>small</a>',
    '/vanishing': `<a id="large" href="/large" download>large</a> <button id="both">both</button>
      <script>
        both.onmousedown = () => {
          large.click();
          const request = new XMLHttpRequest();
          request.open('GET', '/hanging', false);
          request.send();
        };
      </script>`,
    '/hanging': (_request, response) => void closePageAtDownload().finally(() => response.destroy()),
    '/large': (_request, response) => {
      begin(response, MAX_FILE_BYTES + 1);
      response.end();
    },
    '/small': (_request, response) => {
      begin(response, 10);
      void waitUntil('the agent looks at the size', () => looks > 1).then(
        () => response.end(),
        () => response.destroy(),
      );
    },
  });
});
afterAll(() => pages.close());
// The agent does not see the file of the first download, as when all of it arrives between two looks.
beforeEach(() => {
  isLargeOver = false;
  looks = 0;
  awaiting = jest.spyOn(BrowserSession.prototype, 'nextDownload');
  listing = jest.spyOn(files, 'readdir');
  listing.mockImplementation((folder: string) => {
    if (!isLargeOver) return Promise.resolve([]);
    looks += 1;
    return readdir(folder);
  });
});
afterEach(() => {
  listing.mockRestore();
  awaiting.mockRestore();
});

/** Runs a step that downloads the large file, which fails, and one that downloads the small file. Returns the end, and the errors in the log. */
async function downloadLargeThenSmall(large: { path: string; selector: string }) {
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
  const download = ({ path, selector }: typeof large) => [
    { action: 'open', url: `${pages.url}${path}` } as const,
    { action: 'download', selector } as const,
  ];
  const small = download({ path: '/', selector: '#small' });
  const end = await world.run([
    { name: 'large', type: 'browser', as: 'large', actions: download(large), onError: [{ to: 'small' }] },
    { name: 'small', type: 'browser', as: 'small', actions: small },
  ]);
  return { end, errors: errors.join() };
}

test('a download that is too large does not count in the size of the next one', async () => {
  const { end, errors } = await downloadLargeThenSmall({ path: '/', selector: '#large' });
  expect(errors).toContain('the download large has more than 5242880 bytes');
  expect(end).toMatchObject({ outcome: 'FINALIZED' });
});

test('a download whose click fails does not count in the size of the next one', async () => {
  const { end, errors } = await downloadLargeThenSmall({ path: '/vanishing', selector: '#both' });
  expect(errors).toContain('action 2 (download): ');
  expect(end).toMatchObject({ outcome: 'FINALIZED' });
});
