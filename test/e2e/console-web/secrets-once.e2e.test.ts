import type { Page } from 'playwright-core';
import { makeEnvironment, makeOwner, makeProcess } from '../support/tenants/factories';
import { press } from './support/refusals';
import { field, useWebWorld } from './support/web-world';

const web = useWebWorld();

test('a dialog that shows a secret stays until its own button is pressed, and asks before the user goes back', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  await makeOwner(stack, { company: owner.company, name: 'Bia' });
  await makeEnvironment(stack, { owner, name: 'Plant' });
  const page = await open('/processes', { as: owner, language: 'en' });
  const dialog = page.getByRole('dialog').first();

  await page.getByRole('link', { name: 'My account' }).click();
  await press(page, 'New credential');
  await field(dialog, 'Label').fill('ERP');
  await press(dialog, 'Create');
  expect(await staysUntilClosed(page, 'Credential', 'Close')).toBe(true);

  await page.getByRole('link', { name: 'Environments' }).click();
  await page.getByRole('link', { name: 'Plant' }).click();
  await press(page, 'New activation key');
  await press(dialog, 'New activation key');
  expect(await staysUntilClosed(page, 'Activation key', 'I have copied it')).toBe(true);

  await page.getByRole('link', { name: 'Company' }).click();
  await press(page, 'New password: Bia');
  await press(dialog, 'New password');
  expect(await staysUntilClosed(page, 'One-time password', 'Close')).toBe(true);
});

test('a one-time password is shown although Escape was pressed while it was being made', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  await makeOwner(stack, { company: owner.company, name: 'Bia' });
  const page = await open('/company', { as: owner, language: 'en' });
  const dialog = page.getByRole('dialog');
  const { promise: isEscaped, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/password-reset', async (route) => {
    await isEscaped;
    await route.continue();
  });
  await press(page, 'New password: Bia');
  await press(dialog, 'New password');
  await dialog.locator('button:disabled', { hasText: 'Cancel' }).waitFor();
  await page.keyboard.press('Escape');
  answer();
  await dialog.getByLabel('One-time password', { exact: true }).waitFor();
  expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(1);
});

test.each([
  ['/account', 'New credential', 'Label', 'ERP', 'Create', 'credentials'],
  ['/processes/PROCESS/keys', 'New key', 'Identifier', 'ERP', 'Create', 'keys'],
  ['/environments', 'New environment', 'Name', 'Plant', 'Add', 'environments'],
  ['/company/events', 'New subscription', 'Address', 'http://127.0.0.1:2/events', 'Create', 'event-subscriptions'],
])(
  'the secret that is being made cannot be lost by a button or Escape, and is shown before its list is read again: %s',
  async (path, add, label, text, submit, route) => {
    const { open, stack } = web();
    const owner = await makeOwner(stack, { role: 'administrator' });
    const { processID } = await makeProcess(stack, { owner });
    const page = await open(path.replace('PROCESS', processID), { as: owner, language: 'en' });
    const dialog = page.getByRole('dialog').first();
    const { promise: isTried, resolve: answer } = Promise.withResolvers<void>();
    let isMade = false;
    await page.route(`**/${route}*`, async (call) => {
      const makesSecret = call.request().method() === 'POST';
      if (makesSecret) await isTried;
      // The list gets no answer any more.
      else if (isMade) return;
      isMade ||= makesSecret;
      await call.continue();
    });
    await page.getByRole('button', { name: add, exact: true }).first().click();
    await field(dialog, label).fill(text);
    await press(dialog, submit);
    await dialog.locator('button[data-loading]').waitFor();
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await press(dialog, 'Close');
    expect(await page.getByRole('dialog').count()).toBe(1);
    answer();
    await dialog.getByText('Copy it now', { exact: true }).waitFor();
  },
);

/** Tries the other ways to close the dialog, then presses its button; false when the secret was hidden before. */
async function staysUntilClosed(page: Page, label: string, close: string): Promise<boolean> {
  const secret = page.getByLabel(label, { exact: true }).last();
  const shown = await secret.textContent();
  await page.keyboard.press('Escape');
  await page.mouse.click(2, 2);
  // The question of Back shows that the page has handled the events before it.
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await question.getByText('lost if you have not copied it', { exact: false }).waitFor();
  await press(question, 'Cancel');
  await question.waitFor({ state: 'detached' });
  const isSame = (await secret.textContent()) === shown;
  const buttons = await page.getByRole('button', { name: close, exact: true }).count();
  await press(page, close);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  return isSame && buttons === 1;
}
