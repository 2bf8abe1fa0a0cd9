import { openTestStore } from '../support/stack/database';
import { callAsOperator, makeOwner } from '../support/tenants/factories';
import { until } from '../support/until';
import { cutsBadges, findSeriousViolations } from './support/accessibility';
import { press } from './support/refusals';
import { field, untilNotified, untilSettled, useWebWorld, watchDialogTexts } from './support/web-world';

const web = useWebWorld();

/** A height between those of a text of one line and of two lines. */
const MAX_ONE_LINE_PX = 35;

const NOW = '2026-11-28T12:00:00.000Z';
/** A text with a script. If a page shows the text as markup, the script runs, and its error fails the test. */
const HOSTILE_TEXT = '<img src=x onerror="throw new Error(1)">';

test('an operator corrects credits and an e-mail address, and the company reads both in its ledger and its audit trail', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator', name: HOSTILE_TEXT });
  const store = await openTestStore(stack.env.DATABASE_URL ?? '');
  const old = `taken ${owner.company.companyID}@EXAMPLE.COM`;
  const member = await makeOwner(stack, { company: owner.company });
  await store.write(
    `INSERT INTO email_problem (account_id, problem, found_at)
       SELECT account_id, 'taken', UTC_TIMESTAMP(3) FROM account WHERE email = ?`,
    [member.email],
  );
  await store.write('UPDATE account SET email = ? WHERE email = ?', [old, member.email]);
  await store.close();

  const operator = await open('/operator', { as: stack.operator, language: 'en' });
  await operator
    .getByRole('button', { name: /^Correct credits: / })
    .first()
    .click();
  const correction = operator.getByRole('dialog', { name: /^Credits of / });
  await field(correction, 'Reason').fill(HOSTILE_TEXT);
  await field(correction, 'Credits').fill('-1001');
  await correction.getByText('The company would have -1 credits. It may have from 0 to 1,000,000,000.').waitFor();
  expect(await correction.getByRole('button', { name: 'Correct', exact: true }).isDisabled()).toBe(true);
  await field(correction, 'Credits').fill('-7');
  expect(await findSeriousViolations(operator)).toEqual([]);
  await press(correction, 'Correct');
  await correction
    .getByRole('alert')
    .getByText(/^Take 7 credits away from /)
    .waitFor();
  await correction
    .getByRole('alert')
    .getByText('The company has 1,000 now and 993 after it.', { exact: false })
    .waitFor();
  expect(await findSeriousViolations(operator)).toEqual([]);
  await press(correction, 'Correct');
  await untilNotified(operator, 'The company has 993 credits now.');
  await operator.getByRole('button', { name: `Change: ${old}` }).click();
  const change = operator.getByRole('dialog', { name: `Address of ${old}` });
  await field(change, 'New e-mail address').fill(member.email);
  await change.getByRole('button', { name: 'Change the address' }).click();
  await operator.getByText('No address has a problem').waitFor();

  const page = await open('/company', { as: owner });
  await page.getByText('Um operador da instalação adiciona pessoas à empresa.').waitFor();
  await page.getByText(`Ajuste do operador: ${HOSTILE_TEXT}`).waitFor();
  await page.getByRole('link', { name: 'Trilha de auditoria' }).click();
  await page.getByRole('heading', { name: 'Trilha de auditoria', level: 1 }).waitFor();
  const row = page.getByRole('row').filter({ hasText: 'Créditos corrigidos' });
  await row.getByText('Operador').waitFor();
  await row.getByText(`motivo: ${HOSTILE_TEXT}`).waitFor();
  await page.getByLabel('Ação', { exact: true }).selectOption({ label: 'Credencial criada' });
  await page.getByRole('row').filter({ hasText: HOSTILE_TEXT }).first().waitFor();
  await row.waitFor({ state: 'detached' });
  const address = await page.getByText('127.0.0.1', { exact: true }).first().boundingBox();
  expect(address?.height).toBeLessThan(MAX_ONE_LINE_PX);
  expect(new URL(page.url()).searchParams.get('action')).toBe('credential.add');
  await page.getByLabel('De', { exact: true }).fill('0002-01-01');
  await page.getByText('Escolha um dia de 2000 em diante.').waitFor();
  expect(new URL(page.url()).searchParams.get('from')).toBeNull();
  await page.getByLabel('De', { exact: true }).fill('2040-01-01');
  await page.getByText('Nenhuma alteração corresponde a estes filtros').waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await page.reload();
  await untilSettled(page);
  expect(await page.getByLabel('Ação', { exact: true }).inputValue()).toBe('credential.add');
  await page.getByRole('button', { name: 'Limpar filtros' }).click();
  await row.waitFor();
});

test('the page of a company says that only debug runs start once it has no credits', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const page = await open('/company', { as: owner, language: 'en' });
  await page.getByText('1,000 credits left').waitFor();
  expect(await page.getByText(/only debug runs start/).count()).toBe(0);
  await callAsOperator(stack, 'PATCH', `/companies/${owner.company.companyID}`, { credits: 0 });
  await page.reload();
  await page.getByText(/only debug runs start/).waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
});

test('an operator finds the people of a company and gives its only administrator a one-time password', async () => {
  const { open, stack } = web();
  const administrator = await makeOwner(stack, { role: 'administrator', name: HOSTILE_TEXT });
  const { companyID } = administrator.company;
  const name = `Acme ${companyID}`;
  const store = await openTestStore(stack.env.DATABASE_URL ?? '');
  await store.write('UPDATE company SET name = ? WHERE company_id = ?', [name, companyID]);
  await store.close();

  const page = await open('/operator', { as: stack.operator, language: 'en' });
  await page.getByRole('button', { name: `Show people: ${name}` }).click();
  const people = page.getByRole('dialog', { name: `People of ${name}` });
  await people.getByText(administrator.email).waitFor();
  expect(await cutsBadges(page)).toBe(false);
  const [table, window] = await Promise.all([people.getByRole('table').boundingBox(), people.boundingBox()]);
  expect(table?.width).toBeLessThan(window?.width ?? 0);
  expect(await findSeriousViolations(page)).toEqual([]);
  await people.getByRole('button', { name: /^New password: / }).click();
  const reset = page.getByRole('dialog', { name: /^Replace the password of / });
  await press(reset, 'New password');
  const password = (await reset.getByText(/^[a-z2-9]{4}(-[a-z2-9]{4}){4}$/).textContent()) ?? '';
  await reset.getByRole('button', { name: 'Close' }).last().click();
  await people.getByText(administrator.email).waitFor();

  const { email } = administrator;
  const session = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  };
  expect((await fetch(`${stack.console}/manage/v1/session`, session)).status).toBe(201);
});

test('an operator sets for how many days a plan keeps audit trail and ledger, and takes it back', async () => {
  const { open, stack } = web();
  const { company } = await makeOwner(stack, { role: 'administrator' });
  const store = await openTestStore(stack.env.DATABASE_URL ?? '');
  const name = `Plan ${company.companyID}`;
  await store.write('UPDATE plan SET name = ? WHERE plan_id = ?', [name, company.planID]);
  await store.close();

  const page = await open('/operator', { as: stack.operator, language: 'en' });
  const row = page.getByRole('row').filter({ hasText: name }).filter({ hasText: 'For ever' });
  await row.getByRole('button', { name: `Change: ${name}` }).click();
  const dialog = page.getByRole('dialog', { name: `How long ${name} keeps records` });
  await field(dialog, 'Days that the audit trail is kept').fill('29');
  await field(dialog, 'Days that the ledger is kept').fill('365');
  expect(await findSeriousViolations(page)).toEqual([]);
  const question = dialog.getByText(`Delete older records of the companies with ${name}?`);
  await press(dialog, 'Save');
  await question.waitFor();
  await press(dialog, 'Save');
  await dialog.getByText('must be at least 30', { exact: true }).waitFor();
  await field(dialog, 'Days that the audit trail is kept').fill('');
  await question.waitFor({ state: 'detached' });
  await press(dialog, 'Save');
  await question.waitFor();
  await press(dialog, 'Save');
  await untilNotified(page, 'The plan was changed.');
  await row.getByText('365').waitFor();
});

test('a company is suspended, and gets another plan, only after a question that names it and says what happens', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const { companyID } = owner.company;
  const other = await makeOwner(stack);
  const [name, larger] = [`Acme ${companyID}`, `Larger ${companyID}`];
  const store = await openTestStore(stack.env.DATABASE_URL ?? '');
  await store.write('UPDATE company SET name = ? WHERE company_id = ?', [name, companyID]);
  await store.write('UPDATE plan SET name = ? WHERE plan_id = ?', [larger, other.company.planID]);
  const read = async () => {
    const [row] = await store.rows('SELECT plan_id, suspended FROM company WHERE company_id = ?', [companyID]);
    return row;
  };
  const before = await read();

  const page = await open('/operator', { as: stack.operator, language: 'en' });
  const dialog = page.getByRole('dialog');
  const plan = page.getByLabel(`Plan: ${name}`, { exact: true });
  await plan.selectOption(larger);
  await dialog.getByRole('heading', { name: `Give ${name} the plan ${larger}?` }).waitFor();
  await press(dialog, 'Cancel');
  expect(await read()).toEqual(before);
  await plan.selectOption(larger);
  await press(dialog, 'Change the plan');
  await until(
    () => plan.inputValue(),
    (id) => id === other.company.planID,
  );

  // The switch is disabled, and ignores the key, while a change is being stored.
  const suspensionSwitch = (checked: boolean) =>
    page.getByRole('switch', { name: `Suspended: ${name}`, checked, disabled: false });
  await suspensionSwitch(false).press('Space');
  await dialog.getByRole('heading', { name: `Suspend ${name}?` }).waitFor();
  await dialog.getByText('Its people can no longer log in', { exact: false }).waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await suspensionSwitch(false).press('Space');
  await dialog.waitFor();
  const changedTexts = await watchDialogTexts(page);
  await press(dialog, 'Suspend');
  await suspensionSwitch(true).waitFor();
  await page.locator('.mantine-Modal-title').waitFor({ state: 'detached' });
  expect(await changedTexts()).toEqual([]);
  await suspensionSwitch(true).press('Space');
  await press(dialog, 'End the suspension');
  await suspensionSwitch(false).waitFor();
  expect(await read()).toMatchObject({ suspended: 0 });
  await store.close();
});

test('the list of people has a column of actions only when the account can take an action', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const page = await open('/company', { as: owner, language: 'en' });
  const people = page.getByRole('table', { name: 'People' });
  await people.getByRole('cell', { name: owner.email }).waitFor();
  expect(await people.getByRole('columnheader', { name: 'Actions' }).count()).toBe(0);
  await makeOwner(stack, { company: owner.company });
  await page.reload();
  await people.getByRole('columnheader', { name: 'Actions' }).waitFor();
});

test('the audit trail offers the people of every page of people as its filter', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const page = await open('/account', { as: owner, language: 'en' });
  const person = (name: string) => ({ id: name, name, email: '', role: 'member', blocked: false, createdAt: NOW });
  await page.route('**/manage/v1/accounts?*', (route) => {
    const { searchParams } = new URL(route.request().url());
    const ofFirstPage = Array.from({ length: Number(searchParams.get('limit')) }, (_, index) =>
      person(`Person ${index}`),
    );
    return route.fulfill({ json: { accounts: searchParams.has('before') ? [person('Zoe')] : ofFirstPage } });
  });
  await page.getByRole('link', { name: 'Company' }).click();
  await page.getByRole('link', { name: 'Audit trail' }).click();
  const choices = page.getByLabel('Who').locator('option');
  await choices.filter({ hasText: 'Person 0' }).first().waitFor({ state: 'attached' });
  await choices.filter({ hasText: 'Zoe' }).waitFor({ state: 'attached' });
  expect(await choices.filter({ hasText: 'Zoe' }).count()).toBe(1);
});
