import { testBrowser } from '../../../test/browser';
import { browserStep } from '../../../test/browser-step';
import { createFlowWorld, useSandbox, variablesStep } from '../../../test/flow-world';
import { PageServer } from '../../../test/page-server';

const sandbox = useSandbox({ workers: 1 });
let pages: PageServer;

beforeAll(async () => {
  pages = await PageServer.create({ '/': '<a href="data:text/plain,a" download="a.txt">a</a>' });
});
afterAll(() => pages.close());

// A wait that had begun would be rejected when the browser is closed; jest fails the test for a rejection that nothing handles.
test('a waitFor whose text cannot be filled in fails its step, and begins none of its waits', async () => {
  const world = createFlowWorld(sandbox, { browser: await testBrowser() });
  const end = await world.run([
    browserStep(
      [
        { action: 'open', url: pages.url },
        { action: 'download', selector: 'a' },
        { action: 'waitFor', selector: '#never', text: '{file.OCR}' },
      ],
      { as: 'file', onError: [{ to: 'caught' }] },
    ),
    variablesStep('caught'),
  ]);
  expect(end.outcome).toBe('FINALIZED');
  expect(world.messages()).toContain(
    'action 3 (waitFor): {file.OCR}: the text of a picture can be read after the step',
  );
});
