import { makeOwner, makeProcess } from '../support/factories';
import { press } from './support/refusals';
import { field, useWebWorld } from './support/web-world';

const web = useWebWorld();

test('a dialog with typed text closes only after the user confirms that the text is lost', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  await makeProcess(stack, { owner, processName: 'Orders' });
  const page = await open('/processes', { as: owner, language: 'en' });
  await page.getByRole('link', { name: 'Schedules' }).click();
  const dialog = page.getByRole('dialog', { name: 'New schedule' });
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  const openDialog = () => page.getByRole('button', { name: 'New schedule' }).first().click();
  const name = field(dialog, 'Name');

  await openDialog();
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await openDialog();
  await name.fill('typed once');
  for (const leave of [() => page.keyboard.press('Escape'), () => press(dialog, 'Close'), () => page.goBack()]) {
    await leave();
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('typed once');
    expect(new URL(page.url()).pathname).toBe('/schedules');
  }
  await press(dialog, 'Close');
  await press(question, 'Leave without saving');
  await dialog.waitFor({ state: 'detached' });

  await openDialog();
  expect(await name.inputValue()).toBe('');
  await name.fill('typed again');
  await page.goBack();
  await press(question, 'Leave without saving');
  await page.getByRole('heading', { level: 1, name: 'Processes' }).waitFor();
});

test('the question whether typed text may be lost goes when the text is saved meanwhile', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const page = await open('/account', { as: owner, language: 'en' });
  const dialog = page.getByRole('dialog', { name: 'New secret' });
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  const openDialog = () => page.getByRole('button', { name: 'New secret' }).first().click();
  let save: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => (save = resolve));
  await page.route('**/vault/*', async (route) => {
    await isAsked;
    await route.continue();
  });
  await openDialog();
  await field(dialog, 'Name').fill('ERP');
  await field(dialog, 'Value').fill('typed once');
  await press(dialog, 'Keep it');
  await page.keyboard.press('Escape');
  await question.waitFor();
  save();
  await page.getByRole('cell', { name: '{vault.ERP}' }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  await question.waitFor({ state: 'detached' });
  await openDialog();
  await dialog.waitFor();
  expect(await question.count()).toBe(0);
});
