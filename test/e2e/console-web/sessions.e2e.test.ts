import { callAsOperator, makeOwner, makeProcess, type Owner } from '../support/tenants/factories';
import * as s from '../../support/shape';
import { findSeriousViolations } from './support/accessibility';
import { field, primaryButtons, untilSettled, takePictures, useWebWorld } from './support/web-world';

const web = useWebWorld();

/** By the way in which a user comes back to a window, the script that sends the event of it. */
const RETURNS = [
  ['it is shown again', 'document.dispatchEvent(new Event("visibilitychange"))'],
  ['the user comes back from a window beside it', 'window.dispatchEvent(new Event("focus"))'],
];

/** A page whose session ends while its user types the name of a new process and then saves it. */
async function endSessionInEdit() {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const page = await open('/processes', { as: owner, language: 'en' });
  await page.getByRole('button', { name: 'New process' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Typed before the end');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Create' }).click();
  return { owner, page };
}

test('a session that ends in the middle of an edit asks for the password over the page, and the call goes on', async () => {
  const { owner, page } = await endSessionInEdit();
  const dialog = page.getByRole('dialog', { name: 'Log in again' });
  await dialog.waitFor();
  expect(await page.getByRole('textbox', { name: 'Name', includeHidden: true }).inputValue()).toBe(
    'Typed before the end',
  );
  expect(await field(dialog, 'E-mail').inputValue()).toBe(owner.email);
  await field(dialog, 'Password').fill('a wrong password');
  await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
  await dialog.getByText('The e-mail or the password is wrong.').waitFor();
  await dialog.getByText(/^Request id: \S+$/).waitFor();
  await page.keyboard.press('Escape');
  await field(dialog, 'Password').fill(owner.password);
  await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('heading', { name: 'Typed before the end', level: 1 }).waitFor();
});

test('a login in another window lets the page go on that asks for a login, with what was typed', async () => {
  const { owner, page } = await endSessionInEdit();
  await page.getByRole('dialog', { name: 'Log in again' }).waitFor();
  const { email, password } = owner;
  await page.context().request.post('/manage/v1/session', { data: { email, password } });
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole('heading', { name: 'Typed before the end', level: 1 }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test.each(RETURNS)(
  'a login in another window leads the log-in page to the page of its address when %s',
  async (_, event) => {
    const { open, stack } = web();
    const { email, password } = await makeOwner(stack);
    const page = await open('/processes', { language: 'en' });
    await field(page, 'E-mail').fill('typed');
    await untilSettled(page);
    const calls: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/manage/')) calls.push(pathname);
    });
    // Without a login the page stays, with what was typed.
    const answer = page.waitForResponse('**/manage/v1/me');
    await page.evaluate(event);
    await (await answer).finished();
    await untilSettled(page);
    expect(calls).toEqual(['/manage/v1/me']);
    expect(await field(page, 'E-mail').inputValue()).toBe('typed');
    await page.context().request.post('/manage/v1/session', { data: { email, password } });
    await page.evaluate(event);
    await page.getByRole('heading', { name: 'Processes', level: 1 }).waitFor();
    expect(await field(page, 'E-mail').count()).toBe(0);
  },
);

/** Ends the sessions of the account, and returns its new one-time password. */
async function resetPassword(owner: Owner): Promise<string> {
  const { accountID } = s.object({ accountID: s.text() }).parse(await owner.manage('GET', '/me'));
  const reset = await callAsOperator(web().stack, 'POST', `/accounts/${accountID}/password-reset`, {});
  return s.object({ password: s.text() }).parse(reset).password;
}

test('a change of the one-time password in another window leads the page that asks for it to the page of its address', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const password = await resetPassword(owner);
  const page = await open('/processes', { as: { email: owner.email, password }, language: 'en' });
  await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
  const data = { currentPassword: password, newPassword: 'chosen in another window' };
  const answer = await page.context().request.put('/manage/v1/session/password', { data });
  expect(answer.ok()).toBe(true);
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await page.getByRole('heading', { name: 'Processes', level: 1 }).waitFor();
});

test('a page that goes on as another account is loaded again, without asking for the unsaved edits of the first one', async () => {
  const { open, stack } = web();
  const [ana, rui] = [await makeOwner(stack), await makeOwner(stack)];
  const { processID } = await makeProcess(stack, {
    owner: ana,
    flow: { start: 'A', steps: [{ name: 'A', type: 'variables' }] },
  });
  const page = await open(`/processes/${processID}/flow`, { as: ana, language: 'en' });
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.locator('.react-flow__node').first().click();
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await page.getByText('Unsaved changes').waitFor();
  const password = await resetPassword(ana);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Log in again' });
  await field(dialog, 'Password').fill(password);
  await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
  await page.evaluate('window.isFirstLoad = true');
  await page.context().request.post('/manage/v1/session', { data: { email: rui.email, password: rui.password } });
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await page.getByRole('link', { name: 'Processes' }).first().waitFor();
  expect(await page.evaluate('window.isFirstLoad')).toBeUndefined();
  expect(asked).toEqual([]);
});

test('a one-time password must be changed before anything else', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const password = await resetPassword(owner);
  const page = await open('/processes', { as: { email: owner.email, password }, language: 'en' });
  await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await field(page, 'One-time password').fill(password);
  await field(page, 'New password').fill('short');
  await field(page, 'New password again').fill('short');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page
    .getByText(/fewer than 10 characters/)
    .first()
    .waitFor();
  await field(page, 'New password').fill('long enough to be one');
  await field(page, 'New password again').fill('long enough to be one');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByRole('heading', { name: 'Processes', level: 1 }).waitFor();
});

test('an administrator replaces a password by a one-time password, which is shown once and must be changed', async () => {
  const { open, stack } = web();
  const administrator = await makeOwner(stack, { role: 'administrator' });
  const member = await makeOwner(stack, { company: administrator.company, name: 'Bia' });
  const page = await open('/company', { as: administrator, language: 'en' });
  await page.getByRole('button', { name: 'New password: Bia' }).click();
  const dialog = page.getByRole('dialog', { name: 'Replace the password of Bia?' });
  await dialog.getByRole('button', { name: 'New password', exact: true }).click();
  const password = (await dialog.getByLabel('One-time password', { exact: true }).textContent()) ?? '';
  expect(password.length).toBeGreaterThan(10);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(password);
  await page.getByRole('button', { name: 'New password: Bia' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
  expect(await page.content()).not.toContain(password);

  const theirs = await open('/', { language: 'en' });
  const logIn = async (word: string) => {
    await field(theirs, 'E-mail').fill(member.email);
    await field(theirs, 'Password').fill(word);
    await theirs.getByRole('button', { name: 'Log in', exact: true }).click();
  };
  await logIn(member.password);
  await theirs.getByText('The e-mail or the password is wrong.').waitFor();
  await logIn(password);
  await theirs.getByRole('heading', { name: 'Choose a password' }).waitFor();
});

test('logging out shows the log-in page, and neither address nor storage hold a secret', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const page = await open('/processes', { as: owner, language: 'en' });
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(/bls_|password/i);
  expect(page.url()).not.toContain('bls_');
  await takePictures(page, 'login');
});

test('logging out with unsaved edits asks before it ends the session, and does not ask twice', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  const page = await open(`/processes/${processID}/matrix`, { as: owner, language: 'en' });
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  await page.getByRole('button', { name: 'New variable' }).click();
  await field(page, 'Name').last().fill('total');
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await page.getByRole('button', { name: 'Log out' }).click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  // The session goes on, so the Matrix is saved without another login.
  await page.getByRole('button', { name: 'Save the Matrix' }).click();
  await page.getByText('The Matrix has been saved').waitFor();
  await page.getByRole('button', { name: 'New variable' }).click();
  await field(page, 'Name').last().fill('customer');
  await page.getByRole('button', { name: 'Log out' }).click();
  await question.getByRole('button', { name: 'Leave without saving' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  expect(asked).toEqual([]);
});

test('the primary button of the log-in page is that of its form, also beside that of the demo account', async () => {
  const page = await web().open('/', { language: 'en' });
  await page.route('**/session/demo', (route) => route.fulfill({ json: { email: 'demo@example.com' } }));
  await page.reload();
  await page.getByRole('button', { name: 'Log in as the demo owner' }).waitFor();
  expect(await primaryButtons(page).allInnerTexts()).toEqual(['Log in']);
});

test('an unreachable console is explained, and what was typed stays', async () => {
  const { open, stack } = web();
  const page = await open('/processes', { as: await makeOwner(stack), language: 'en' });
  await page.getByRole('button', { name: 'New process' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Typed offline');
  await page.context().setOffline(true);
  await page.getByText('No connection').waitFor();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('The console cannot be reached.', { exact: false }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Typed offline');
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Typed offline', level: 1 }).waitFor();
});

test('a browser that takes its machine for offline shows the pages of a console that answers', async () => {
  const { open, stack } = web();
  const page = await open('/account', { as: await makeOwner(stack), language: 'en' });
  await untilSettled(page);
  await page.evaluate("window.dispatchEvent(new Event('offline'))");
  await page.getByRole('link', { name: 'Processes' }).click();
  await page.getByRole('heading', { name: 'Processes', level: 1 }).waitFor();
  await untilSettled(page);
  await page.getByText('You have no process yet').waitFor();
  expect(await page.getByText('No connection').count()).toBe(0);
});

test.each(RETURNS)('the page says that another account has logged in in another window when %s', async (_, event) => {
  const { open, stack } = web();
  const [ana, rui] = [await makeOwner(stack), await makeOwner(stack)];
  const page = await open('/processes', { as: ana, language: 'en' });
  await page.getByRole('heading', { name: 'Processes', level: 1 }).waitFor();
  const { email, password } = rui;
  await page.context().request.post('/manage/v1/session', { data: { email, password } });
  await page.evaluate(event);
  await page.getByText('Another account is logged in').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain(rui.email);
});

test('a page of another role says that it is not for the account, calls nothing that is refused and leads home', async () => {
  const { open, stack } = web();
  const member = await makeOwner(stack);
  for (const [path, as, home] of [
    ['/company/audit', member, 'Home'],
    ['/operator', member, 'Home'],
    ['/processes', stack.operator, 'Operator'],
  ] as const) {
    const page = await open('/account', { as, language: 'en' });
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    await page.goto(path);
    await page.getByRole('heading', { level: 1, name: 'This page is not for your account' }).waitFor();
    expect(await findSeriousViolations(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Go to the home page', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: home, exact: true }).waitFor();
    expect(refused).toEqual([]);
  }
});
