import type { Flow } from '@batuta/flow';
import type { Locator } from 'playwright-core';
import { makeEnvironment, makeOwner, makeProcess } from '../support/tenants/factories';
import { press } from './support/refusals';
import { field, useWebWorld } from './support/web-world';

const web = useWebWorld();

const untilFocused = (element: Locator) => element.and(element.page().locator(':focus')).waitFor();

test('a dialog that closes gives the focus back to the button that opened it, or to the page when the button is gone', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  for (const name of ['Morning', 'Evening']) {
    await owner.manage('POST', `/processes/${processID}/schedules`, { name, cronExpression: '0 8 * * *' });
  }
  const page = await open('/processes', { as: owner, language: 'en' });
  await page.getByRole('button', { name: 'Import', exact: true }).press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await untilFocused(page.getByRole('button', { name: 'Import', exact: true }));

  await page.getByRole('link', { name: 'Schedules' }).click();
  await page.getByRole('button', { name: 'Delete: Morning' }).press('Enter');
  await untilFocused(page.getByRole('dialog').getByRole('button', { name: 'Cancel' }));
  await page.keyboard.press('Enter');
  await untilFocused(page.getByRole('button', { name: 'Delete: Morning' }));
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await untilFocused(page.getByRole('main'));
  await page.getByRole('button', { name: 'Delete: Morning' }).waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Delete: Morning' }).count()).toBe(0);
});

test('a control that leaves the page with the item that it removes gives the focus to what takes its place', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const steps: Flow['steps'] = [
    { name: 'First', type: 'wait', seconds: 0, routes: [{ to: 'Second' }] },
    { name: 'Second', type: 'wait', seconds: 0 },
  ];
  const matrix = ['a', 'b', 'c'].map((name) => ({ name, type: 'Texto' }));
  const { processID } = await makeProcess(stack, { owner, flow: { start: 'First', steps }, matrix });
  const page = await open(`/processes/${processID}/matrix`, { as: owner, language: 'en' });
  await page.getByRole('button', { name: 'Remove: b' }).press('Enter');
  await untilFocused(page.getByRole('button', { name: 'Move up: c' }));
  await page.getByRole('button', { name: 'Remove: c' }).press('Enter');
  await untilFocused(page.getByRole('button', { name: 'Remove: a' }));
  await page.keyboard.press('Enter');
  await untilFocused(page.getByRole('button', { name: 'New variable' }));
  await page.getByRole('button', { name: 'Discard the changes' }).press('Enter');

  await page.getByRole('tab', { name: 'Flow' }).click();
  const boxOf = (name: string) => page.locator('.react-flow__node').filter({ hasText: name });
  await boxOf('Second').press('Enter');
  await page.getByRole('region', { name: 'Step Second' }).getByRole('button', { name: 'Close' }).press('Enter');
  await untilFocused(boxOf('Second'));
  await page.keyboard.press('Delete');
  await untilFocused(boxOf('First'));
  expect(await boxOf('Second').count()).toBe(0);
});

test('an item that is moved with the keyboard keeps the focus on its button, so that the next Enter moves it further', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const rowOf = (name: string) => ({ name, mode: 'Fórmula' as const, value: '1' });
  const flow: Flow = { start: 'Only', steps: [{ name: 'Only', type: 'variables', rows: ['x', 'y', 'z'].map(rowOf) }] };
  const matrix = ['a', 'b', 'c'].map((name) => ({ name, type: 'Texto' }));
  const { processID } = await makeProcess(stack, { owner, flow, matrix });
  const page = await open(`/processes/${processID}/matrix`, { as: owner, language: 'en' });
  await page.getByRole('button', { name: 'Move down: a' }).press('Enter');
  await untilFocused(page.getByRole('button', { name: 'Move down: a' }));
  await page.keyboard.press('Enter');
  await untilFocused(page.getByRole('button', { name: 'Move up: a' }));
  await page.getByRole('button', { name: 'Discard the changes' }).click();

  await page.goto(`/processes/${processID}/flow?step=Only`);
  const form = page.getByRole('region', { name: 'Step Only' });
  await form.getByRole('tab', { name: 'Variables' }).click();
  const button = (name: string) => form.getByRole('button', { name, exact: true });
  await button('Move Variables 3 up').press('Enter');
  await untilFocused(button('Move Variables 2 up'));
  await page.keyboard.press('Enter');
  await untilFocused(button('Move Variables 1 down'));
  expect(await form.locator('[data-field="/rows/0/name"]').inputValue()).toBe('z');
});

test('the question of a dialog gives the focus back to the field, and leaving it to the button that opened the dialog', async () => {
  const { open, owner } = web();
  const page = await open('/schedules', { as: owner, language: 'en' });
  const openDialog = page.getByRole('button', { name: 'New schedule' }).first();
  await openDialog.press('Enter');
  const name = field(page.getByRole('dialog'), 'Name');
  await name.fill('typed');
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await untilFocused(question.getByRole('button', { name: 'Cancel' }));
  await page.keyboard.press('Enter');
  await untilFocused(name);
  expect(await name.inputValue()).toBe('typed');
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Leave without saving' }).press('Enter');
  await untilFocused(openDialog);
});

test('a dialog that follows another one gives the focus back to the button that opened the first', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { environmentID } = await makeEnvironment(stack, { owner });
  const page = await open(`/environments/${environmentID}`, { as: owner, language: 'en' });
  const rotate = page.getByRole('button', { name: 'New activation key' });
  await rotate.press('Enter');
  await page
    .getByRole('dialog', { name: /^Make another key/ })
    .getByRole('button')
    .last()
    .press('Enter');
  await page.getByRole('button', { name: 'I have copied it' }).press('Enter');
  await untilFocused(rotate);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('the login over a page gives the focus back to the field in which the user typed', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const page = await open('/processes', { as: owner, language: 'en' });
  await press(page, 'New process');
  const name = field(page.getByRole('dialog', { name: 'New process' }), 'Name');
  await page.context().clearCookies();
  await name.fill('Typed before the end');
  await name.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Log in again' });
  await untilFocused(field(dialog, 'Password'));
  await field(dialog, 'Password').fill(owner.password);
  await page.route('**/manage/v1/processes', (route) =>
    route.fulfill({ status: 409, json: { error: { code: 'CONFLICT', message: 'taken' } } }),
  );
  await field(dialog, 'Password').press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await untilFocused(name);
  expect(await name.inputValue()).toBe('Typed before the end');
});
