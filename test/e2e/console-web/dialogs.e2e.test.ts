import type { Page } from 'playwright-core';
import { makeOwner, makeProcess } from '../support/tenants/factories';
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

test('a closed dialog that was open from its first render gives the focus back to its button', async () => {
  const { open, owner } = web();
  const page = await open('/processes', { as: owner, language: 'en' });
  const button = page.getByRole('button', { name: 'Import', exact: true });
  await button.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await button.and(page.locator(':focus')).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
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

test('the browser asks before a tab closes with typed text in a dialog, a page or the flow, and closes any other tab at once', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, {
    owner,
    flow: { start: 'A', steps: [{ name: 'A', type: 'variables' }] },
  });
  const first = await open('/processes', { as: owner, language: 'en' });
  const type = async (page: Page, label: string) => {
    await field(page, label).last().click();
    await page.keyboard.type('typed');
  };
  const unsaved: Record<string, (page: Page) => Promise<unknown>> = {
    '/processes': async (page) => {
      await press(page, 'New process');
      await type(page, 'Name');
    },
    [`/processes/${processID}/matrix`]: async (page) => {
      await press(page, 'New variable');
      await type(page, 'Name');
    },
    [`/processes/${processID}/flow`]: async (page) => {
      await page.locator('.react-flow__node').first().click();
      await press(page, 'Duplicate');
    },
  };
  for (const [path, change] of Object.entries(unsaved)) {
    const page = await first.context().newPage();
    await page.goto(path);
    await change(page);
    expect(await closeTab(page)).toBe('asks');
    await page.getByRole('heading', { level: 1 }).first().waitFor();

    const other = await first.context().newPage();
    await other.goto(path);
    // A browser asks before it closes a tab only after the user has interacted with the page.
    await other.getByRole('heading', { level: 1 }).first().click();
    expect(await closeTab(other)).toBe('closes');
  }
});

/** Closes the tab as a user does. When the browser asks, chooses to stay. */
function closeTab(page: Page): Promise<'asks' | 'closes'> {
  const answer = new Promise<'asks' | 'closes'>((resolve) => {
    page.once('dialog', (question) => {
      void question.dismiss().then(() => resolve('asks'));
    });
    page.once('close', () => resolve('closes'));
  });
  return page.close({ runBeforeUnload: true }).then(() => answer);
}
