import type { Locator } from 'playwright-core';
import { makeOwner, makeProcess } from '../support/tenants/factories';
import { press } from './support/refusals';
import { field, untilSettled, useWebWorld } from './support/web-world';

const web = useWebWorld();

/** Waits until the field has the focus, and returns whether it is marked as refused. */
async function isRefusedAndFocused(element: Locator): Promise<boolean> {
  await element.and(element.page().locator(':focus')).waitFor();
  return (await element.getAttribute('aria-invalid')) === 'true';
}

/** Opens a tab of a process with the variables `customer` and `total`. */
async function openProcess(tab: string) {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const matrix = ['customer', 'total'].map((name) => ({ name, type: 'Moeda' }));
  const { processID } = await makeProcess(stack, { owner, matrix });
  return { owner, processID, page: await open(`/processes/${processID}/${tab}`, { as: owner, language: 'en' }) };
}

test('the field of a form that the API refuses gets the focus', async () => {
  const { owner, page } = await openProcess('shares');
  await page.getByRole('button', { name: 'Share' }).first().click();
  const dialog = page.getByRole('dialog');
  await field(dialog, 'E-mail').fill(owner.email);
  await press(dialog, 'Share');
  expect(await isRefusedAndFocused(field(dialog, 'E-mail'))).toBe(true);
});

test('the value of a run that the API refuses gets the focus, also after the same refusal again', async () => {
  const { page } = await openProcess('run');
  await field(page, 'total').fill('1,2,3');
  for (let round = 0; round < 2; round += 1) {
    await press(page, 'Run now');
    expect(await isRefusedAndFocused(field(page, 'total'))).toBe(true);
  }
});

test('the variable of a Matrix that the API refuses gets the focus', async () => {
  const { page } = await openProcess('matrix');
  await field(page, 'Name').last().fill('processID');
  await press(page, 'Save the Matrix');
  expect(await isRefusedAndFocused(field(page, 'Name').last())).toBe(true);
});

test('a refusal in the dialog of a conflict leaves the focus in front of the page', async () => {
  const { owner, page, processID } = await openProcess('matrix');
  await field(page, 'Name').last().fill('processID');
  await owner.manage('PUT', `/processes/${processID}/matrix`, { matrix: [{ name: 'theirs', type: 'Texto' }] });
  await press(page, 'Save the Matrix');
  const dialog = page.getByRole('dialog');
  await press(dialog, 'Save mine in its place');
  await dialog.getByRole('alert').waitFor();
  await untilSettled(page);
  expect(await field(page, 'Name').and(page.locator(':focus')).count()).toBe(0);
  await press(dialog, 'Go on editing');
  expect(await isRefusedAndFocused(field(page, 'Name').last())).toBe(true);
});

test('a password that is refused is announced as wrong and gets the focus', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const page = await open('/account', { as: owner, language: 'en' });
  await field(page, 'Current password').fill(owner.password);
  await field(page, 'New password').fill('too-short');
  await field(page, 'New password again').fill('another');
  await press(page, 'Change the password');
  expect(await isRefusedAndFocused(field(page, 'New password again'))).toBe(true);
  await field(page, 'New password again').fill('too-short');
  await press(page, 'Change the password');
  expect(await isRefusedAndFocused(field(page, 'New password'))).toBe(true);
});
