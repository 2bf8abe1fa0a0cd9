import type { Page } from 'playwright-core';
import { ROUTER_PLACEHOLDER } from '../../../apps/console-web/src/features/environments/activation-commands';
import { makeEnvironment, makeOwner, makeProcess } from '../support/tenants/factories';
import * as s from '../../support/shape';
import { allowChanges, press, refuseChanges } from './support/refusals';
import { field, useWebWorld, watchDialogTexts } from './support/web-world';

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

test('a dialog keeps its title while it closes', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  await owner.manage('PUT', '/vault/ERP', { value: 'v' });
  const page = await open('/account', { as: owner, language: 'en' });
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  const dialog = page.getByRole('dialog', { name: 'Replace the value of ERP' });
  await press(page, 'Replace: ERP');
  await dialog.waitFor();
  const changedTexts = await watchDialogTexts(page);
  await press(dialog, 'Cancel');
  await page.locator('.mantine-Modal-title').waitFor({ state: 'detached' });
  expect(await changedTexts()).toEqual([]);
});

test('the dialog of a new subscription keeps its title while it closes', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const page = await open('/company/events', { as: owner, language: 'en' });
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'New subscription', exact: true }).first().click();
  await field(dialog, 'Address').fill('http://127.0.0.1:2/events');
  await dialog.getByLabel('Error', { exact: true }).check();
  await press(dialog, 'Create');
  await dialog.getByRole('button', { name: 'I have kept the secret' }).waitFor();
  const changedTexts = await watchDialogTexts(page);
  await press(dialog, 'I have kept the secret');
  await page.getByRole('heading', { level: 1, name: /127\.0\.0\.1/ }).waitFor();
  await page.locator('.mantine-Modal-title').waitFor({ state: 'detached' });
  expect(await changedTexts()).toEqual([]);
});

test('a dialog with a secret keeps its text while it closes', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const { environmentID } = await makeEnvironment(stack, { owner });
  const draft = { url: 'http://127.0.0.1:2/events', events: ['instance.error'] };
  const made = await owner.manage('POST', '/company/event-subscriptions', draft);
  const { id } = s.object({ id: s.text() }).parse(made);
  const dialog = (title: string) => page.getByRole('dialog', { name: title, exact: true });
  const page = await open('/environments', { as: owner, language: 'en' });
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  const textsLostByClosing = async (title: string, close: string) => {
    await dialog(title).getByRole('button', { name: close }).waitFor();
    // The commands for an agent get the address of the router later, those of the platforms that are not shown last.
    await page.getByText(ROUTER_PLACEHOLDER).first().waitFor({ state: 'detached' });
    const changedTexts = await watchDialogTexts(page);
    await press(dialog(title), close);
    // The question before the secret may still be leaving as well.
    await page.locator('.mantine-Modal-title').first().waitFor({ state: 'detached' });
    return changedTexts();
  };
  await press(page, 'New environment');
  await field(dialog('New environment'), 'Name').fill('Plant');
  await press(dialog('New environment'), 'Add');
  expect(await textsLostByClosing('Activate an agent', 'I have copied it')).toEqual([]);

  await page.goto(`/environments/${environmentID}`);
  await press(page, 'New activation key');
  await press(page.getByRole('dialog'), 'New activation key');
  expect(await textsLostByClosing('Activate an agent', 'I have copied it')).toEqual([]);

  await page.goto(`/company/events/${id}`);
  await press(page, 'New secret');
  await press(page.getByRole('dialog'), 'Replace');
  expect(await textsLostByClosing('Secret of the subscription', 'I have kept the secret')).toEqual([]);
});

test('the dialog with the commands of an agent opens on the platform that was chosen last', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { environmentID } = await makeEnvironment(stack, { owner });
  const page = await open(`/environments/${environmentID}`, { as: owner, language: 'en' });
  for (const opensOn of ['Linux and macOS', 'Docker']) {
    await press(page, 'New activation key');
    await press(page.getByRole('dialog'), 'New activation key');
    await page.getByRole('tab', { name: 'Docker', exact: true }).waitFor();
    expect(await page.getByRole('tab', { selected: true }).allInnerTexts()).toEqual([opensOn]);
    await page.getByRole('tab', { name: 'Docker', exact: true }).click();
    await page.getByText('docker run', { exact: false }).waitFor();
    await press(page, 'I have copied it');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.reload();
  }
});

test('a question that is asked again does not begin with the refusal of the last answer', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { environmentID } = await makeEnvironment(stack, { owner });
  const page = await open(`/environments/${environmentID}`, { as: owner, language: 'en' });
  const dialog = page.getByRole('dialog');
  await refuseChanges(page);
  await press(page, 'Delete');
  await press(dialog, 'Delete');
  await dialog.getByRole('alert').waitFor();
  await press(dialog, 'Cancel');
  await dialog.waitFor({ state: 'detached' });
  await allowChanges(page);
  await press(page, 'Delete');
  await dialog.getByRole('button', { name: 'Delete' }).waitFor();
  expect(await dialog.getByRole('alert').count()).toBe(0);
});

test('a question stays open while its action is under way, so that a refusal is shown in it', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { environmentID } = await makeEnvironment(stack, { owner });
  const page = await open(`/environments/${environmentID}`, { as: owner, language: 'en' });
  const dialog = page.getByRole('dialog');
  const { promise: isEscaped, resolve: answer } = Promise.withResolvers<void>();
  await page.route(`**/environments/${environmentID}`, async (route) => {
    await isEscaped;
    await route.fulfill({ status: 503, json: { error: { code: 'UNAVAILABLE', message: 'Try again.' } } });
  });
  await press(page, 'Delete');
  await press(dialog, 'Delete');
  await dialog.getByRole('button', { name: 'Cancel', disabled: true }).waitFor();
  await page.keyboard.press('Escape');
  expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
  answer();
  await dialog.getByRole('alert').getByText('Try again.').waitFor();
  await press(dialog, 'Cancel');
  await dialog.waitFor({ state: 'detached' });
});

test('a dialog stays open while its form is being sent, so that a refusal is shown in it', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const page = await open('/account', { as: owner, language: 'en' });
  const dialog = page.getByRole('dialog').first();
  const { promise: isEscaped, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/vault/*', async (route) => {
    await isEscaped;
    await route.fulfill({ status: 503, json: { error: { code: 'UNAVAILABLE', message: 'Try again.' } } });
  });
  await page.getByRole('button', { name: 'New secret' }).first().click();
  await field(dialog, 'Name').fill('ERP');
  await field(dialog, 'Value').fill('typed once');
  await press(dialog, 'Keep it');
  await dialog.getByRole('button', { name: 'Cancel', disabled: true }).waitFor();
  await page.keyboard.press('Escape');
  await press(dialog, 'Close');
  expect(await page.getByRole('dialog').count()).toBe(1);
  answer();
  await dialog.getByRole('alert').getByText('Try again.').waitFor();
  expect(await field(dialog, 'Name').inputValue()).toBe('ERP');
  await press(dialog, 'Cancel');
  await dialog.waitFor({ state: 'detached' });
});

test('a dialog asks before a choice from a list is lost', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const page = await open('/environments', { as: owner, language: 'en' });
  const dialog = page.getByRole('dialog', { name: 'New environment' });
  await page.getByRole('button', { name: 'New environment' }).first().click();
  const system = dialog.getByLabel('Operating system', { exact: true });
  await system.selectOption('Linux');
  await page.keyboard.press('Escape');
  await press(page.getByRole('dialog', { name: 'Leave without saving?' }), 'Cancel');
  expect(await system.inputValue()).toBe('linux');
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
