import type { Page } from 'playwright-core';
import { callAsOperator, makeOwner, makeProcess } from '../support/tenants/factories';
import { makeOrigin, sendEvent } from '../support/webhooks/webhooks';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { untilNotified, untilSettled, useWebWorld } from './support/web-world';
import { LANGUAGES, VIEWPORTS } from './support/windows';

const web = useWebWorld();

/** A name with a script. If a page shows the name as markup, the script runs, and its error fails the test. */
const HOSTILE = '<img src=x onerror="throw new Error(1)">';

const goTo = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name }).click();

/** Checks the page in both languages, the second one in a window of the size of a phone. */
async function expectNoFault(page: Page): Promise<void> {
  for (const [index, language] of LANGUAGES.entries()) {
    await page.getByRole('combobox', { name: /Idioma|Language/ }).selectOption(language);
    await page.setViewportSize(VIEWPORTS[index === 0 ? 'wide' : 'narrow']);
    await page.locator(`html[lang="${language}"]`).waitFor();
    await untilSettled(page);
    await page.getByText(HOSTILE, { exact: true }).first().waitFor({ state: 'attached' });
    expect(await findSeriousViolations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
  }
  await page.setViewportSize(VIEWPORTS.wide);
  await page.getByRole('combobox', { name: 'Language' }).selectOption('pt-BR');
  await page.locator('html[lang="pt-BR"]').waitFor();
}

test('names and payloads that look like markup are text on the screens of webhooks, schedules and the company', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator', name: HOSTILE });
  await makeOwner(stack, { company: owner.company, name: HOSTILE });
  const process = await makeProcess(stack, {
    owner,
    processName: HOSTILE,
    description: HOSTILE,
    matrix: [{ name: 'cliente', type: 'Texto', default: HOSTILE }],
  });
  const origin = await makeOrigin(process, { name: HOSTILE, mapping: { cliente: `/${HOSTILE}` } });
  await sendEvent(origin.devUrl, { [HOSTILE]: HOSTILE, lista: [{ [HOSTILE]: null }] });
  const schedule = { name: HOSTILE, cronExpression: '0 8 * * MON-FRI', matrix: { cliente: HOSTILE } };
  await owner.manage('POST', `/processes/${process.processID}/schedules`, schedule);
  const page = await open('/webhooks', { as: owner });
  await expectNoFault(page);
  await page.getByRole('link', { name: HOSTILE }).click();
  await page.getByRole('button', { name: 'Nova origem' }).waitFor();
  await expectNoFault(page);
  await page.getByRole('rowheader', { name: HOSTILE }).getByRole('link').click();
  await page.getByRole('list', { name: 'Payload' }).getByRole('button', { name: 'lista', exact: true }).waitFor();
  await page.getByText(`/${HOSTILE}`, { exact: true }).waitFor();
  await expectNoFault(page);
  await goTo(page, 'Agendamentos');
  await page.getByRole('switch', { name: HOSTILE }).waitFor();
  await expectNoFault(page);
  await page.getByRole('link', { name: HOSTILE }).first().click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expectNoFault(page);
  await goTo(page, 'Empresa');
  await page.getByRole('button', { name: `Bloquear: ${HOSTILE}` }).click();
  const dialog = page.getByRole('dialog', { name: `Bloquear ${HOSTILE}?` });
  expect(await findSeriousViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Bloquear', exact: true }).click();
  await page.getByText('Bloqueada', { exact: true }).waitFor();
  await expectNoFault(page);
});

test('the longest name of a variable does not widen the form of a run beyond a phone', async () => {
  const { open, stack } = web();
  const name = 'x'.repeat(80);
  const { processID, owner } = await makeProcess(stack, { matrix: [{ name, type: 'Texto' }] });
  const page = await open(`/processes/${processID}/run`, { as: owner, viewport: 'narrow' });
  await page.getByLabel(name, { exact: true }).waitFor();
  await untilSettled(page);
  expect(await scrollsSideways(page)).toBe(false);
});

test('an operator adds a person to a company, whose name is text as well', async () => {
  const { open, stack } = web();
  const plan = { name: HOSTILE, monthlyCredits: 10, logRetentionDays: 1, requestsPerMinute: 10 };
  const { id: planId } = Object(
    await callAsOperator(stack, 'POST', '/plans', { apiAccess: true, scheduling: true, ...plan }),
  );
  await callAsOperator(stack, 'POST', '/companies', { name: HOSTILE, planId });
  const page = await open('/operator', { as: stack.operator });
  await expectNoFault(page);
  await page.getByRole('button', { name: `Nova pessoa: ${HOSTILE}` }).click();
  const dialog = page.getByRole('dialog');
  const email = `${planId}@test.batuta.local`;
  for (const [label, text] of Object.entries({
    Nome: HOSTILE,
    'E-mail': email,
    'Primeira senha': 'a first password',
  })) {
    await dialog.getByLabel(new RegExp(`^${label}( \\*)?$`)).fill(text);
  }
  await dialog.getByLabel('Papel').selectOption('administrator');
  expect(await findSeriousViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Criar' }).click();
  await untilNotified(page, 'A pessoa já pode entrar.');
  const company = await open('/company', { as: { email, password: 'a first password' } });
  await company.getByRole('cell', { name: email }).waitFor();
  expect(await company.getByRole('button', { name: 'Nova pessoa' }).count()).toBe(0);
});
