import { testBrowser } from '../../../test/browser';
import { browserStep } from '../../../test/browser-step';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { PageServer } from '../../../test/page-server';

const sandbox = useSandbox({ workers: 1 });
let pages: PageServer;

beforeAll(async () => {
  pages = await PageServer.create({
    '/': `<p id="got"></p><script>got.innerText = prompt('Quantidade?', '7')</script>`,
  });
});
afterAll(() => pages.close());

test('a prompt that a step accepts gets its default text, as from a person who presses OK', async () => {
  const world = createFlowWorld(sandbox, { browser: await testBrowser() });
  await world.run([
    browserStep(
      [
        { action: 'open', url: pages.url },
        { action: 'readText', selector: '#got' },
      ],
      { as: 'quantity', dialogs: 'accept', routes: [{ to: 'show' }] },
    ),
    { name: 'show', type: 'variables', rows: [{ name: 'seen', mode: 'Variável ou texto', value: '{quantity}' }] },
  ]);
  expect(world.messages()).toContain('seen = "7"');
});
