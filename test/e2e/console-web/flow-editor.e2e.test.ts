import type { Flow } from '@batuta/flow';
import type { Page } from 'playwright-core';
import * as s from '../../support/shape';
import { makeProcess, type Process } from '../support/tenants/factories';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { HOSTILE_NAME, ORDER_FLOW } from './support/order-flow';
import { beforeNextPut, primaryButtons, takePictures, untilNotified, useWebWorld } from './support/web-world';
import type { PageOptions } from './support/windows';

const web = useWebWorld();

async function newProcess(flow: Flow | null): Promise<Process> {
  const { stack, owner, process } = web();
  const matrix = [{ name: 'amount', type: 'Moeda', default: '10,00' }];
  return makeProcess(stack, {
    owner,
    environment: process.environment,
    flow,
    matrix,
  });
}

async function openEditor({ processID }: Process, options: PageOptions = {}): Promise<Page> {
  const page = await web().open(`/processes/${processID}/flow`, {
    as: web().owner,
    language: 'en',
    ...options,
  });
  await page.getByRole('toolbar').waitFor();
  return page;
}

const savedShape = s.object({ flow: s.anything });
async function savedFlow({ processID }: Process): Promise<unknown> {
  return savedShape.parse(await web().owner.manage('GET', `/processes/${processID}/flow`)).flow;
}

const step = (page: Page, name: string) =>
  page.locator('.react-flow__node').filter({ has: page.getByText(name, { exact: true }) });

test.each([
  ['wide', 'light'],
  ['narrow', 'dark'],
] as const)('the editor shows a flow without a serious violation, %s and %s', async (viewport, colorScheme) => {
  const page = await openEditor(await newProcess(ORDER_FLOW), {
    viewport,
    colorScheme,
  });
  await page.getByText(HOSTILE_NAME, { exact: true }).first().waitFor();
  await page.getByText('Compute the total', { exact: true }).first().click();
  await page.getByLabel('Name of the step').waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
  if (viewport === 'wide') await takePictures(page, 'flow-editor');
});

test('the page of an empty flow has one button that stands out, which adds the first step', async () => {
  const page = await openEditor(await newProcess(null));
  await page.getByRole('button', { name: 'Add the first step' }).waitFor();
  expect(await primaryButtons(page.getByRole('main')).allInnerTexts()).toEqual(['Add the first step']);
});

test('a code field names its problem and its description for screen readers, and takes a copied line with its end', async () => {
  const page = await openEditor(await newProcess(null));
  await page.getByRole('button', { name: 'Add the first step' }).click();
  await page.getByRole('button', { name: /^HTTP call/ }).click();
  const url = page.getByRole('textbox', { name: 'Address (URL)' });
  await url.and(page.locator('[aria-invalid=true]')).waitFor();
  const descriptions = (await url.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const texts = descriptions.map((id) => page.locator(`[id="${id}"]`).innerText());
  expect(await Promise.all(texts)).toEqual(['Type { to insert a variable.', 'must not be empty']);
  await url.focus();
  await page.keyboard.insertText('http://orders.example\n');
  await url.getByText('http://orders.example', { exact: true }).waitFor();
  await url.and(page.locator(':not([aria-invalid])')).waitFor();
});

test('a flow that is built with the mouse is drawn, saved and published, and undone steps come back', async () => {
  const process = await newProcess(null);
  const page = await openEditor(process);
  await page.getByRole('button', { name: 'Add the first step' }).click();
  await page.getByRole('button', { name: /^Script/ }).click();
  await page.getByRole('button', { name: 'Add a step after Script' }).click();
  await page.getByRole('button', { name: /^Wait/ }).click();
  const name = page.getByLabel('Name of the step');
  await name.fill(HOSTILE_NAME);
  await name.press('Enter');
  await step(page, HOSTILE_NAME).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await step(page, HOSTILE_NAME).waitFor({ state: 'detached' });
  expect(await page.locator('.react-flow__node').count()).toBe(1);
  await page.getByRole('button', { name: 'Undo (Ctrl+Z)' }).click();
  await step(page, HOSTILE_NAME).waitFor();
  await page.getByText('Unsaved changes').waitFor();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Version 1 is published.').waitFor();
  await page.getByText('All saved').waitFor();
  await page.getByRole('link', { name: 'Run now' }).waitFor();
  expect(await savedFlow(process)).toEqual({
    start: 'Script',
    steps: [
      {
        name: 'Script',
        type: 'script',
        code: 'return 1',
        routes: [{ to: HOSTILE_NAME }],
      },
      { name: HOSTILE_NAME, type: 'wait', seconds: 5 },
    ],
  });
});

test('a flow is built, copied, undone and deleted with the keyboard only', async () => {
  const process = await newProcess(null);
  const page = await openEditor(process);
  const keys = async (...pressed: string[]) => {
    for (const key of pressed) await page.keyboard.press(key);
  };
  const tabTo = async (label: string, key = 'Tab') => {
    const focusedLabel = () =>
      page.evaluate('document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent');
    for (let count = 0; count < 60 && (await focusedLabel()) !== label; count++) await page.keyboard.press(key);
    expect(await focusedLabel()).toBe(label);
  };
  await tabTo('Add the first step');
  await keys('Enter');
  await page.getByLabel('Search for a step').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('wait');
  await keys('Enter');
  await step(page, 'Wait').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Step Wait' }).and(page.locator(':focus')).waitFor();
  await tabTo('Step Wait, Wait', 'Shift+Tab');
  await keys('Control+a', 'Control+c', 'Control+v');
  await step(page, 'Wait 2').waitFor();
  await keys('Control+z');
  await step(page, 'Wait 2').waitFor({ state: 'detached' });
  await keys('Control+y');
  await step(page, 'Wait 2').waitFor();
  await tabTo('Step Wait 2, Wait');
  await keys('Delete');
  await step(page, 'Wait 2').waitFor({ state: 'detached' });
  await keys('Control+s');
  await page.getByText('All saved').waitFor();
  expect(await savedFlow(process)).toEqual({
    start: 'Wait',
    steps: [{ name: 'Wait', type: 'wait', seconds: 5 }],
  });
});

test('a deleted step closes its routes, and a clipboard without steps is refused', async () => {
  const process = await newProcess(ORDER_FLOW);
  const page = await openEditor(process);
  await step(page, 'Report').click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.evaluate(
    `(() => { const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', '{"name":"x","type":"shell"}');
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true })); })()`,
  );
  await untilNotified(page, 'The clipboard has steps of a type that does not exist here.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('All saved').waitFor();
  expect(await savedFlow(process)).toMatchObject({
    steps: [
      {
        name: 'Compute the total',
        routes: [{ when: '{total} > 1000', to: HOSTILE_NAME }, { to: 'Remember' }],
      },
      { name: 'Remember' },
      { name: HOSTILE_NAME },
    ],
  });
  await page.getByText('Compare', { exact: true }).click();
  await page.getByText('removed', { exact: true }).waitFor();
  await page.getByText('/routes/0/to').waitFor();
});

test('a problem leads to its field, and the text view shows the same flow', async () => {
  const page = await openEditor(await newProcess(ORDER_FLOW));
  await page.getByText('JSON', { exact: true }).click();
  const text = page.getByRole('textbox', { name: 'JSON' });
  await text.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(
    '{"start": "call", "steps": [{"name": "call", "type": "rest", "method": "GET", "url": "{matrix.gone}"}',
  );
  await page.getByText('This is not JSON yet.', { exact: false }).first().waitFor();
  await page.getByText('Drawing', { exact: true }).click();
  await page.getByText('so nothing can be saved', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Open the JSON view' }).click();
  await text.waitFor();
  expect(await page.locator('.flow-editor-view:focus-within').count()).toBe(1);
  await text.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(']}');
  await page.getByText('Drawing', { exact: true }).click();
  await step(page, 'call').waitFor();
  await page.getByRole('button', { name: /call › Address/ }).click();
  await page.getByText('no Matrix variable "gone" is registered', { exact: false }).first().waitFor();
  await page.locator('[aria-label="Address (URL)"]:focus').waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('https://erp.example/{ma');
  await page.keyboard.type('t');
  await page.getByRole('option', { name: /matrix\.amount/ }).click();
  await page.getByRole('region', { name: 'Problems' }).waitFor({ state: 'detached' });
  expect(await page.getByText('Unsaved changes').count()).toBe(1);
});

test('a flow that is published while its edits are still being saved becomes one version, however often the button is pressed', async () => {
  const process = await newProcess(ORDER_FLOW);
  const page = await openEditor(process);
  await step(page, 'Report').click();
  await page.getByRole('button', { name: 'Duplicate' }).click();
  const { promise: isPressedAgain, resolve: save } = Promise.withResolvers<void>();
  await page.route('**/flow', async (route) => {
    if (route.request().method() === 'PUT') await isPressedAgain;
    await route.continue();
  });
  const publish = page.getByRole('button', { name: 'Publish', exact: true });
  await publish.click();
  await publish.and(page.locator('[data-loading]')).waitFor();
  await publish.dispatchEvent('click');
  save();
  await page.getByText('Version 2 is published.').waitFor();
  await publish.and(page.locator('[data-loading]')).waitFor({ state: 'detached' });
  const { owner, processID } = process;
  expect(await owner.manage('GET', `/processes/${processID}`)).toMatchObject({ currentVersion: 2 });
});

test('a flow without edits is not published when another window has saved another one, which nobody sees here', async () => {
  const process = await newProcess(ORDER_FLOW);
  const page = await openEditor(process);
  const { owner, processID } = process;
  const theirs = { start: 'Theirs', steps: [{ name: 'Theirs', type: 'wait', seconds: 0 }] };
  await owner.manage('PUT', `/processes/${processID}/flow`, theirs);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Somebody else saved this flow meanwhile' });
  await dialog.getByText('Theirs', { exact: true }).waitFor();
  expect(await owner.manage('GET', `/processes/${processID}`)).toMatchObject({ currentVersion: 1 });
  await dialog.getByRole('button', { name: 'Take theirs' }).click();
  await dialog.waitFor({ state: 'detached' });
  await step(page, 'Theirs').waitFor();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('Version 2 is published.').waitFor();
  expect(await owner.manage('GET', `/processes/${processID}/versions/2`)).toMatchObject({ flow: theirs });
});

test('a flow that somebody else saved meanwhile is compared before one of the two is chosen', async () => {
  const process = await newProcess(ORDER_FLOW);
  const page = await openEditor(process);
  await step(page, 'Report').click();
  await page.getByRole('button', { name: 'Duplicate' }).click();
  const theirs = {
    start: 'Theirs',
    steps: [{ name: 'Theirs', type: 'variables' }],
  };
  await process.owner.manage('PUT', `/processes/${process.processID}/flow`, theirs);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = page.getByRole('dialog', {
    name: 'Somebody else saved this flow meanwhile',
  });
  await dialog.getByText('Theirs', { exact: true }).waitFor();
  expect(await savedFlow(process)).toEqual(theirs);
  // Somebody saves once more after the editor's last read, so that If-Match refuses the editor's save.
  const later = { ...theirs, start: 'Theirs again', steps: [{ name: 'Theirs again', type: 'variables' }] };
  await beforeNextPut(page, '/flow', () => process.owner.manage('PUT', `/processes/${process.processID}/flow`, later));
  await dialog.getByRole('button', { name: 'Save mine over it' }).click();
  await dialog.getByText('Theirs again', { exact: true }).waitFor();
  expect(await savedFlow(process)).toEqual(later);
  await dialog.getByRole('button', { name: 'Save mine over it' }).click();
  await page.getByText('All saved').waitFor();
  expect(await savedFlow(process)).toMatchObject({
    start: 'Compute the total',
  });
});
