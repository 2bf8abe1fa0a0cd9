import type { Flow } from '@batuta/flow';
import type { Page } from 'playwright-core';
import * as s from '../../support/shape';
import { waitUntil } from '../../support/wait-until';
import { makeEnvironment, makeProcess, publish, type Process } from '../support/tenants/factories';
import { until } from '../support/until';
import { makeOrigin, sendEvent } from '../support/webhooks/webhooks';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { press, REFUSALS, refuseChanges } from './support/refusals';
import { takePictures, untilNotified, untilSettled, useWebWorld } from './support/web-world';
import { VIEWPORTS, type PageOptions } from './support/windows';

const web = useWebWorld();

const flowOf = (name: string): Flow => ({
  start: name,
  steps: [
    { name, type: 'variables', routes: [{ to: 'Wait' }] },
    { name: 'Wait', type: 'wait', seconds: 0 },
  ],
});

/** A process with two published versions; the flow of the second one is also the saved flow. */
async function makeProcessWithTwoVersions(): Promise<Process> {
  const { stack, owner, process } = web();
  const made = await makeProcess(stack, { owner, environment: process.environment, flow: flowOf('First') });
  await publish(owner, made.processID, flowOf('Second'));
  return made;
}

const openPage = (path: string, options: PageOptions = {}): Promise<Page> =>
  web().open(path, { as: web().owner, language: 'en', ...options });

const flowShape = s.object({ flow: s.anything });
const savedFlow = async ({ processID }: Process) =>
  flowShape.parse(await web().owner.manage('GET', `/processes/${processID}/flow`)).flow;

/** The kind of dialog with which the browser asks before it closes the window; undefined when it closes without a question. */
async function questionOnClosing(page: Page): Promise<string | undefined> {
  const question = page.waitForEvent('dialog').then(async (dialog) => {
    const type = dialog.type();
    await dialog.dismiss();
    return type;
  });
  const closed = page.waitForEvent('close').then(() => undefined);
  await page.close({ runBeforeUnload: true });
  return Promise.race([question.catch(() => undefined), closed]);
}

/** Duplicates a step in the open editor, which leaves unsaved changes. */
async function duplicateStep(page: Page): Promise<void> {
  await page.getByText('Wait', { exact: true }).first().click();
  await press(page, 'Duplicate');
  await page.getByText('Unsaved changes').waitFor();
}

test('the browser asks before it closes a window that has an unsaved flow, on whichever page, until the flow is saved', async () => {
  const process = await makeProcessWithTwoVersions();
  const page = await openPage(`/processes/${process.processID}/flow`);
  await duplicateStep(page);
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await untilSettled(page);
  expect(await questionOnClosing(page)).toBe('beforeunload');
  await page.goBack();
  await page.getByText('Unsaved changes').waitFor();
  await press(page, 'Save');
  await page.getByText('All saved').waitFor();
  expect(await questionOnClosing(page)).toBeUndefined();
});

test('whoever publishes from the list of versions reads that the unsaved changes of the editor are not part of the version', async () => {
  const process = await makeProcessWithTwoVersions();
  const page = await openPage(`/processes/${process.processID}/flow`);
  await duplicateStep(page);
  await page.getByRole('main').getByRole('link').first().click();
  await page.getByRole('tab', { name: 'Versions' }).click();
  await press(page, 'Publish');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The editor has changes that are not saved: they are not part of this version.').waitFor();
  await dialog.getByRole('link', { name: 'Open the flow' }).click();
  await press(page, 'Save');
  await page.getByText('All saved').waitFor();
  await page.getByRole('main').getByRole('link').first().click();
  await page.getByRole('tab', { name: 'Versions' }).click();
  await press(page, 'Publish');
  await dialog.getByText('The saved flow becomes the next version.', { exact: false }).waitFor();
  expect(await dialog.getByText('not saved', { exact: false }).count()).toBe(0);
});

test('whoever exports or duplicates a process reads that the unsaved changes of the editor are not taken', async () => {
  const process = await makeProcessWithTwoVersions();
  const page = await openPage(`/processes/${process.processID}/flow`);
  await duplicateStep(page);
  await page.getByRole('main').getByRole('link').first().click();
  const text = 'The editor has changes that are not saved: the saved flow is taken, without them.';
  await Promise.all([page.waitForEvent('download'), press(page, 'Export')]);
  await untilNotified(page, text);
  await press(page, 'Duplicate');
  await page.getByRole('dialog').getByText(text).waitFor();
  expect(await page.getByRole('dialog').getByText(text).count()).toBe(1);
});

test('text of a JSON field that is not JSON yet is kept as an unsaved change, and until it is JSON the flow is neither saved nor published', async () => {
  const { stack, owner, process: at } = web();
  const call = {
    name: 'Call',
    type: 'rest' as const,
    method: 'POST' as const,
    url: 'https://erp.example/',
    body: { n: 1 },
  };
  const flow = { start: 'Call', steps: [call] };
  const process = await makeProcess(stack, { owner, environment: at.environment, flow });
  const page = await openPage(`/processes/${process.processID}/flow`);
  await page.getByText('Call', { exact: true }).first().click();
  const body = page.getByRole('textbox', { name: 'Body', exact: true });
  await body.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{"n": 2');
  await page.getByRole('button', { name: 'Call › Body: This is not JSON.' }).waitFor();
  await page.getByText('Unsaved changes').waitFor();
  for (const name of ['Save', 'Publish', 'Debug run']) {
    await page.getByRole('button', { name, exact: true, disabled: true }).waitFor();
  }
  await page.getByRole('tab', { name: 'Routes' }).click();
  await page.getByRole('tab', { name: /^Action/ }).click();
  await until(
    () => body.innerText(),
    (text) => text === '{"n": 2',
  );
  await body.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText('}');
  await press(page, 'Save');
  await page.getByText('All saved').waitFor();
  expect(await savedFlow(process)).toMatchObject({ steps: [{ name: 'Call', body: { n: 2 } }] });
});

test('a typed name of a step is saved with Ctrl+S, the field keeps the focus, and the form of the next step has the name of that step', async () => {
  const process = await makeProcessWithTwoVersions();
  const page = await openPage(`/processes/${process.processID}/flow`);
  await page.getByText('Wait', { exact: true }).first().click();
  const name = page.getByLabel('Name of the step');
  await name.fill('Pause');
  await name.press('Control+s');
  await page.locator('.react-flow__node').getByText('Pause', { exact: true }).waitFor();
  await page.getByText('All saved').waitFor();
  expect(await savedFlow(process)).toMatchObject({ steps: [{ routes: [{ to: 'Pause' }] }, { name: 'Pause' }] });
  expect(await name.evaluate('document.activeElement.getAttribute("data-field")')).toBe('/name');
  await press(page, 'Add step');
  await page.getByRole('dialog').getByRole('button', { name: /^Wait/ }).click();
  await page.getByRole('region', { name: 'Step Wait' }).waitFor();
  expect(await name.inputValue()).toBe('Wait');
});

test('a flow that is saved again while it is being saved has no conflict with itself', async () => {
  const { processID } = await makeProcessWithTwoVersions();
  const page = await openPage(`/processes/${processID}/flow`);
  await duplicateStep(page);
  const answers: string[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('/flow')) answers.push(`${response.request().method()} ${response.status()}`);
  });
  const saveKey = "document.dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true }))";
  await page.evaluate(`${saveKey}; ${saveKey}`);
  await waitUntil('both saves are answered', () => Promise.resolve(answers.length === 3));
  expect(answers).toEqual(['GET 200', 'PUT 200', 'GET 200']);
});

test('the search in the text of a flow has the language of the pages', async () => {
  const process = await makeProcessWithTwoVersions();
  const page = await openPage(`/processes/${process.processID}/flow`, { language: 'pt-BR' });
  await page.getByText('JSON', { exact: true }).click();
  await page.getByRole('textbox', { name: 'JSON' }).press('Control+f');
  await page.getByRole('textbox', { name: 'Localizar' }).waitFor();
  await page.getByRole('button', { name: 'próxima' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Find' }).count()).toBe(0);
});

test('an old version is shown as it was and becomes an edit of the flow, which replaces unsaved work only after a question', async () => {
  const process = await makeProcessWithTwoVersions();
  const { processID } = process;
  const page = await openPage(`/processes/${processID}/versions`);
  await page.getByRole('link', { name: 'View: Version 1' }).click();
  await page.getByRole('heading', { name: 'Version 1' }).waitFor();
  await page.getByText('First', { exact: true }).click();
  await page.getByLabel('The fields of the step First', { exact: true }).getByText('"variables"').waitFor();
  await page.keyboard.press('Delete');
  expect(await page.getByText('First', { exact: true }).count()).toBe(1);
  expect(await page.getByRole('button', { name: /^Add a step/ }).count()).toBe(0);
  expect(await findSeriousViolations(page)).toEqual([]);
  await takePictures(page, 'process-version');

  await press(page, 'Restore as draft');
  await page.getByText('Unsaved changes').waitFor();
  await page.getByText('First', { exact: true }).first().waitFor();
  expect(await savedFlow(process)).toEqual(flowOf('Second'));
  await press(page, 'Undo (Ctrl+Z)');
  await page.getByText('Second', { exact: true }).first().waitFor();
  await duplicateStep(page);

  await page.goBack();
  await press(page, 'Restore as draft');
  const question = page.getByRole('dialog', { name: 'Replace the unsaved flow by version 1?' });
  await press(question, 'Cancel');
  await press(page, 'Restore as draft');
  await press(question, 'Replace it');
  await page.getByText('First', { exact: true }).first().waitFor();
  await press(page, 'Save');
  await page.getByText('All saved').waitFor();
  expect(await savedFlow(process)).toEqual(flowOf('First'));
  expect(await web().owner.manage('GET', `/processes/${processID}`)).toMatchObject({ currentVersion: 2 });
});

test('the page of a version needs no scrolling sideways on a phone', async () => {
  const { processID } = await makeProcessWithTwoVersions();
  const page = await openPage(`/processes/${processID}/versions/1`, { viewport: 'narrow', colorScheme: 'dark' });
  await page.getByText('First', { exact: true }).click();
  await page.getByLabel('The fields of the step First', { exact: true }).waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
});

test.each(['99', 'abc'])(
  'the page of the version %s, which does not exist, says so and leads to all versions',
  async (version) => {
    const { processID } = await makeProcessWithTwoVersions();
    const page = await openPage(`/processes/${processID}/versions/${version}`);
    await page.getByText('This process has no such version.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('link', { name: 'All versions' }).click();
    await page.waitForURL(/\/versions$/);
  },
);

const runsShape = s.object({ runs: s.list(s.object({ environmentID: s.text() })) });

test('a debug run takes place in the environment that is chosen for it, with typed values and with those of a capture', async () => {
  const { stack, owner } = web();
  const other = await makeEnvironment(stack, { owner, name: 'Tests only' });
  const process = await makeProcessWithTwoVersions();
  const { devUrl } = await makeOrigin(process, { name: 'Shop' });
  await sendEvent(devUrl, { total: 1 });
  const page = await openPage(`/processes/${process.processID}/flow`);
  const dialog = page.getByRole('dialog', { name: 'Debug run' });
  for (const from of ['Typed', 'From a capture']) {
    await press(page, 'Debug run');
    await dialog.getByLabel(from).check();
    if (from === 'From a capture') await dialog.getByLabel('Capture', { exact: true }).selectOption({ index: 1 });
    await dialog.getByLabel('Environment').selectOption('Tests only');
    await press(dialog, 'Run');
    await dialog.waitFor({ state: 'detached' });
  }
  const { runs } = runsShape.parse(await owner.manage('GET', `/runs?process=${process.processID}`));
  expect(runs.map(({ environmentID }) => environmentID)).toEqual([other.environmentID, other.environmentID]);
});

test('a publication that is refused takes away the notice of the one before', async () => {
  const { processID } = await makeProcessWithTwoVersions();
  const page = await openPage(`/processes/${processID}/flow`);
  await press(page, 'Publish');
  const notice = page.getByText('Version 3 is published.');
  await notice.waitFor();
  await page.setViewportSize(VIEWPORTS.narrow);
  await untilSettled(page);
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
  await page.setViewportSize(VIEWPORTS.wide);
  await refuseChanges(page);
  await press(page, 'Publish');
  await untilNotified(page, REFUSALS.outage.json.error.message);
  expect(await notice.count()).toBe(0);
});

test('the list of the steps says which step is selected', async () => {
  const process = await makeProcessWithTwoVersions();
  const page = await openPage(`/processes/${process.processID}/flow`);
  await page.getByText('List', { exact: true }).click();
  const steps = page.getByRole('main').getByRole('listitem').getByRole('button');
  await steps.filter({ hasText: 'Second' }).click();
  await page.getByRole('region', { name: 'Step Second' }).waitFor();
  const current = page.getByRole('main').locator('[aria-current="true"]');
  expect(await current.count()).toBe(1);
  await current.getByText('Second', { exact: true }).waitFor();
});

test('a debug run whose variables cannot be read says so and does not start with the defaults', async () => {
  const { processID } = await makeProcessWithTwoVersions();
  const page = await openPage('/processes');
  await page.route(`**/processes/${processID}/matrix`, (route) =>
    route.fulfill({ status: 403, json: { error: { code: 'FORBIDDEN', message: 'The share has ended.' } } }),
  );
  await page.goto(`/processes/${processID}/flow`);
  await press(page, 'Debug run');
  const dialog = page.getByRole('dialog', { name: 'Debug run' });
  await dialog.getByRole('alert').getByText('The share has ended.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
});
