import type { ServerResponse } from 'node:http';
import { holdTimers } from '../../../../../test/support/held-timers';
import { waitUntil } from '../../../../../test/support/wait-until';
import { testBrowser } from '../../../test/browser';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { PageServer } from '../../../test/page-server';

/** The usual time limit of an action and that of the test's `waitSeconds`, each with the second that StepTime adds to it. */
const [USUAL_MS, OWN_MS] = [31_000, 61_000];
const PAGE = `<p id="slow" hidden>x</p><script>fetch('/wait').then(() => { slow.hidden = false })</script>`;

const sandbox = useSandbox({ workers: 1 });
let pages: PageServer;
let waiting: ServerResponse | undefined;

beforeAll(async () => {
  pages = await PageServer.create({ '/page': PAGE, '/wait': (_request, response) => void (waiting = response) });
});
afterAll(() => pages.close());

test('fastCheck finds an element that appears within its waitSeconds, after the time that other actions have', async () => {
  const world = createFlowWorld(sandbox, { browser: await testBrowser() });
  const timers = holdTimers(USUAL_MS);
  try {
    const ended = world.run([
      {
        name: 'look',
        type: 'browser',
        actions: [
          { action: 'open', url: `${pages.url}/page` },
          { action: 'fastCheck', selector: '#slow', waitSeconds: 60 },
        ],
        routes: [{ when: '{fastCheck}', terminate: true }],
      },
    ]);
    await waitUntil('the check waits for the element', () =>
      jest.mocked(setTimeout).mock.calls.some(([, delay]) => delay === USUAL_MS || delay === OWN_MS),
    );
    timers.fire();
    await waitUntil('the page waits for its answer', () => waiting !== undefined);
    waiting?.end();
    expect(await ended).toMatchObject({ outcome: 'TERMINATED' });
  } finally {
    timers.release();
  }
});
