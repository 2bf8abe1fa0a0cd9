import type { Page, Route } from 'playwright-core';
import { makeEnvironment, makeOwner, makeProcess } from '../support/tenants/factories';
import { press, REFUSALS } from './support/refusals';
import { field, useWebWorld } from './support/web-world';

const web = useWebWorld();

test('Back while a form is being sent asks whether to leave before the answer, and no longer so when the answer is there', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const page = await open('/processes', { as: owner, language: 'en' });
  await page.getByRole('link', { name: 'My account' }).click();
  const sending = page.getByRole('dialog', { name: 'Leave before the answer?' });
  const unsaved = page.getByRole('dialog', { name: 'Leave without saving?' });
  const dialog = page.getByRole('dialog', { name: 'New secret' });
  const { sent, answer } = await holdCalls(page, '**/vault/*', (route) => route.fulfill(REFUSALS.outage));
  await page.getByRole('button', { name: 'New secret' }).first().click();
  await field(dialog, 'Name').fill('ERP');
  await field(dialog, 'Value').fill('typed once');
  await press(dialog, 'Keep it');
  await untilSending(page, sent);
  await page.goBack();
  await sending.getByText('It may take effect although you leave', { exact: false }).waitFor();
  answer();
  await unsaved.getByText('will be lost', { exact: false }).waitFor();
  await press(unsaved, 'Cancel');
  await dialog.getByRole('alert').getByText(REFUSALS.outage.json.error.message).waitFor();
  expect(await field(dialog, 'Name').inputValue()).toBe('ERP');
});

test('Back leaves a dialog without typed text only after a question while it is being sent, and the answer ends the question', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  const page = await open(`/processes/${processID}/matrix`, { as: owner, language: 'en' });
  await page.getByRole('tab', { name: 'Versions' }).click();
  const { sent, answer } = await holdCalls(page, '**/publish', (route) => route.continue());
  await press(page, 'Publish');
  const dialog = page.getByRole('dialog').first();
  await press(dialog, 'Publish');
  await untilSending(page, sent);
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Leave before the answer?' });
  await question.waitFor();
  answer();
  await question.waitFor({ state: 'detached' });
  await dialog.getByRole('status').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/processes/${processID}/versions`);
});

test('while the Matrix is being saved nothing is added to it, and the question of Back goes when it is saved', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  const page = await open(`/processes/${processID}/versions`, { as: owner, language: 'en' });
  await page.getByRole('tab', { name: 'Matrix' }).click();
  const { sent, answer } = await holdCalls(page, '**/matrix', (route) => route.continue());
  await press(page, 'New variable');
  await field(page, 'Name').last().fill('total');
  await press(page, 'Save the Matrix');
  // A variable that is added now would be lost when the answer comes.
  await page.getByRole('button', { name: 'New variable', disabled: true }).waitFor();
  await untilSending(page, sent);
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Leave before the answer?' });
  await question.waitFor();
  answer();
  await question.waitFor({ state: 'detached' });
  await page.getByText('The Matrix has been saved').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/processes/${processID}/matrix`);
});

test('a button that sends shows its loader in its middle, also without motion', async () => {
  const { open, stack } = web();
  const page = await open('/processes', { as: await makeOwner(stack), language: 'en' });
  const { promise: isMeasured, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/manage/v1/processes', (route) => isMeasured.then(() => route.continue()));
  await press(page, 'New process');
  await field(page.getByRole('dialog'), 'Name').fill('Orders');
  await press(page.getByRole('dialog'), 'Create');
  const button = page.locator('button[data-loading]');
  await button.locator('.mantine-Button-loader').waitFor();
  const [outer, inner] = [await button.boundingBox(), await button.locator('.mantine-Button-loader').boundingBox()];
  answer();
  if (!outer || !inner) throw new Error('the button has no loader');
  expect(Math.abs(outer.x + outer.width / 2 - inner.x - inner.width / 2)).toBeLessThan(3);
  expect(Math.abs(outer.y + outer.height / 2 - inner.y - inner.height / 2)).toBeLessThan(3);
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
});

test('the question whether typed text may be lost goes when the text is saved meanwhile', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const page = await open('/processes', { as: owner, language: 'en' });
  await page.getByRole('link', { name: 'My account' }).click();
  const dialog = page.getByRole('dialog', { name: 'New secret' });
  const question = page.getByRole('dialog', { name: 'Leave before the answer?' });
  const openDialog = () => page.getByRole('button', { name: 'New secret' }).first().click();
  const { sent, answer: save } = await holdCalls(page, '**/vault/*', (route) => route.continue());
  await openDialog();
  await field(dialog, 'Name').fill('ERP');
  await field(dialog, 'Value').fill('typed once');
  await press(dialog, 'Keep it');
  await untilSending(page, sent);
  await page.goBack();
  await question.waitFor();
  save();
  await page.getByRole('rowheader', { name: '{vault.ERP}' }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  await question.waitFor({ state: 'detached' });
  await openDialog();
  await dialog.waitFor();
  expect(await question.count()).toBe(0);
});

test('the address stays that of the page when a dialog that was being sent goes with the question of Back', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  await makeProcess(stack, { owner, processName: 'Orders' });
  const page = await open('/processes', { as: owner, language: 'en' });
  await page.getByRole('link', { name: 'Schedules', exact: true }).click();
  const { sent, answer } = await holdCalls(page, '**/schedules', (route) => route.continue());
  const dialog = page.getByRole('dialog', { name: 'New schedule' });
  await page.getByRole('button', { name: 'New schedule' }).first().click();
  await field(dialog, 'Process').selectOption('Orders');
  await field(dialog, 'Name').fill('Nightly');
  await press(dialog, 'Add');
  await untilSending(page, sent);
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Leave before the answer?' });
  await question.waitFor();
  answer();
  await page.getByRole('link', { name: 'Nightly' }).waitFor();
  await question.waitFor({ state: 'detached' });
  await page.waitForURL('**/schedules');
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Processes' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/processes');
});

test('the page that a form opens follows that of the form, also if Back was pressed before the answer', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const page = await open('/schedules', { as: owner, language: 'en' });
  await page.getByRole('link', { name: 'Processes', exact: true }).click();
  const { sent, answer } = await holdCalls(page, '**/processes', (route) => route.continue());
  const dialog = page.getByRole('dialog', { name: 'New process' });
  await page.getByRole('button', { name: 'New process' }).first().click();
  await field(dialog, 'Name').fill('Orders');
  await press(dialog, 'Create');
  await untilSending(page, sent);
  await page.goBack();
  await page.getByRole('dialog', { name: 'Leave before the answer?' }).waitFor();
  answer();
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Processes' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/processes');
});

test('Back while a question is being answered does not lose the secret of the answer', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  await makeEnvironment(stack, { owner, name: 'Plant' });
  const page = await open('/environments', { as: owner, language: 'en' });
  await page.getByRole('link', { name: 'Plant' }).click();
  const { sent, answer } = await holdCalls(page, '**/environments/**', (route) => route.continue());
  await press(page, 'New activation key');
  await press(page.getByRole('dialog'), 'New activation key');
  await untilSending(page, sent);
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Leave before the answer?' });
  await question.waitFor();
  answer();
  await question.waitFor({ state: 'detached' });
  await page.getByLabel('Activation key', { exact: true }).waitFor();
  expect(new URL(page.url()).pathname).not.toBe('/environments');
});

/** Waits until the page has sent a change and shows that it waits for the answer: a Back before that would leave it. */
async function untilSending(page: Page, sent: Promise<void>): Promise<void> {
  await sent;
  await page.locator('button[data-loading]').first().waitFor();
}

/** Keeps the changes that the page sends to an address until `answer` is called, then answers them. `sent` resolves when the page has sent one. */
async function holdCalls(
  page: Page,
  url: string,
  reply: (route: Route) => Promise<void>,
): Promise<{ sent: Promise<void>; answer: () => void }> {
  const sent = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    sent.resolve();
    await answered.promise;
    return reply(route);
  });
  return { sent: sent.promise, answer: answered.resolve };
}
