import type { Locator, Page } from 'playwright-core';
import { makeOwner, makeProcess } from '../support/tenants/factories';
import { until } from '../support/until';
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

/** From now on the API answers a POST of a path with this end with the refusal of a field, when the returned function is called. */
async function holdRefusal(page: Page, end: string, message: string) {
  const calls: (() => Promise<void>)[] = [];
  const json = { error: { code: 'BAD_REQUEST', message } };
  await page.route(`**${end}`, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    calls.push(() => route.fulfill({ status: 400, json }));
  });
  return { calls, refuse: () => Promise.all(calls.splice(0).map((answer) => answer())) };
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

test('values that were typed for a run are lost only after a question, unless a run has started with them', async () => {
  const { page } = await openProcess('run');
  await field(page, 'total').fill('1,5');
  await page.getByRole('tab', { name: 'Keys' }).click();
  await press(page.getByRole('dialog', { name: 'Leave without saving?' }), 'Cancel');
  expect(await field(page, 'total').inputValue()).toBe('1,5');
  await press(page, 'Run now');
  await page.getByText('The run is queued').waitFor();
  await page.getByRole('tab', { name: 'Keys' }).click();
  await page.getByRole('button', { name: 'New key' }).first().waitFor();
});

test('the variable of a Matrix that the API refuses gets the focus', async () => {
  const { page } = await openProcess('matrix');
  await field(page, 'Name').last().fill('processID');
  await press(page, 'Save the Matrix');
  expect(await isRefusedAndFocused(field(page, 'Name').last())).toBe(true);
});

test('a refusal in the dialog of a conflict does not move the focus to the page behind the dialog', async () => {
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

test('a refusal that arrives after the user went on to another field, or typed on, leaves the focus there', async () => {
  const { open, owner } = web();
  const page = await open('/environments', { as: owner, language: 'en' });
  await press(page, 'New environment');
  const dialog = page.getByRole('dialog');
  const name = field(dialog, 'Name');
  const description = field(dialog, 'Description');
  await name.fill('Plant');
  for (const { refused, focused } of [
    { refused: name, focused: description },
    { refused: description, focused: name },
  ]) {
    const path = refused === name ? 'name' : 'description';
    const { calls, refuse } = await holdRefusal(page, '/environments', `${path}: is refused`);
    await name.press('Enter');
    await until(
      async () => calls.length,
      (count) => count === 1,
    );
    await focused.click();
    await page.keyboard.type('typed');
    await refuse();
    await refused.and(page.locator('[aria-invalid="true"]')).waitFor();
    await untilSettled(page);
    expect(await focused.and(page.locator(':focus')).count()).toBe(1);
    await page.unroute('**/environments');
  }
});

test('a button whose form is being sent keeps the focus and ignores presses, as the form ignores Enter', async () => {
  const { open, owner } = web();
  const page = await open('/environments', { as: owner, language: 'en' });
  await press(page, 'New environment');
  const dialog = page.getByRole('dialog');
  const add = dialog.getByRole('button', { name: 'Add', exact: true });
  await field(dialog, 'Name').fill('Plant');
  const { calls, refuse } = await holdRefusal(page, '/environments', 'is refused');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
  });
  await add.press('Enter');
  await add.and(page.locator('[data-loading]:focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  await field(dialog, 'Name').press('Enter');
  await add.focus();
  await until(
    async () => calls.length,
    (count) => count === 1,
  );
  await refuse();
  await dialog.getByRole('alert').waitFor();
  await add.and(page.locator(':focus:not([data-loading])')).waitFor();
  await add.press('Enter');
  await until(
    async () => calls.length,
    (count) => count === 1,
  );
  await refuse();
  await add.and(page.locator(':focus:not([data-loading])')).waitFor();
  expect(sent).toEqual(['/manage/v1/environments', '/manage/v1/environments']);
});

test('the keyboard shows and hides a password', async () => {
  const page = await web().open('/', { language: 'en' });
  const password = field(page, 'Password');
  await password.focus();
  await page.keyboard.press('Tab');
  for (const type of ['text', 'password']) {
    await page.keyboard.press('Enter');
    await password.and(page.locator(`[type="${type}"]`)).waitFor();
    expect(await password.getAttribute('type')).toBe(type);
  }
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

test('a form says in the language of the page which field lacks a value, and gives it the focus', async () => {
  const { open } = web();
  const page = await open('/', { language: 'pt-BR' });
  const email = field(page, 'E-mail');
  await press(page, 'Entrar');
  await page.getByText('Digite um endereço de e-mail, como ana@example.com.').waitFor();
  expect(await isRefusedAndFocused(email)).toBe(true);
  await email.fill('ana@example.com');
  await press(page, 'Entrar');
  await page.getByText('Preencha este campo.').waitFor();
  expect(await isRefusedAndFocused(field(page, 'Senha'))).toBe(true);
});

test('a secret of the vault whose name has invalid characters is marked as refused and gets the focus', async () => {
  const { open, stack } = web();
  const page = await open('/account', { as: await makeOwner(stack), language: 'en' });
  const dialog = page.getByRole('dialog');
  await press(page, 'New secret');
  await field(dialog, 'Name').fill('two words');
  await field(dialog, 'Value').fill('any');
  await press(dialog, 'Keep it');
  expect(await isRefusedAndFocused(field(dialog, 'Name'))).toBe(true);
});

test('a credential is not made while its date of expiry is incomplete', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const before = await owner.manage('GET', '/credentials');
  const page = await open('/account', { as: owner, language: 'en' });
  const dialog = page.getByRole('dialog');
  await press(page, 'New credential');
  await field(dialog, 'Label').fill('ERP');
  await field(dialog, 'Expires').focus();
  await page.keyboard.type('12');
  await press(dialog, 'Create');
  await dialog.getByText('Complete the date and the time, or clear them.').waitFor();
  expect(await isRefusedAndFocused(field(dialog, 'Expires'))).toBe(true);
  expect(await owner.manage('GET', '/credentials')).toEqual(before);
});
