import type { Locator } from 'playwright-core';
import { makeOwner, makeProcess } from '../support/tenants/factories';
import { press } from './support/refusals';
import { field, useWebWorld } from './support/web-world';

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
  return { owner, page: await open(`/processes/${processID}/${tab}`, { as: owner, language: 'en' }) };
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
  await page.route('**/matrix', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({
          status: 400,
          json: { error: { code: 'INVALID_MATRIX', message: 'matrix.1.name: is the name of a system variable' } },
        })
      : route.continue(),
  );
  await field(page, 'Name').last().fill('instance');
  await press(page, 'Save the Matrix');
  expect(await isRefusedAndFocused(field(page, 'Name').last())).toBe(true);
});
