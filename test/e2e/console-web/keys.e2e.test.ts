import { makeOwner, makeProcess } from '../support/tenants/factories';
import { press } from './support/refusals';
import { field, useWebWorld } from './support/web-world';

const web = useWebWorld();

test('no link beside a secret that is shown once leaves its page', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  const page = await open('/account', { as: owner, language: 'en' });
  const dialog = page.getByRole('dialog');
  for (const [path, add, label, hint] of [
    ['/account', 'New credential', 'Label', 'on the tab Keys of your processes'],
    [`/processes/${processID}/keys`, 'New key', 'Identifier', 'credential of your account'],
  ] as const) {
    await page.goto(path);
    await press(page, add);
    await field(dialog, label).fill('ERP');
    await press(dialog, 'Create');
    await dialog.getByText(hint, { exact: false }).waitFor();
    expect(await dialog.locator('a:not([target="_blank"])').allInnerTexts()).toEqual([]);
  }
});
