import { v7 as uuid } from 'uuid';
import * as s from '../../support/shape';
import { makeEnvironment, makeOwner, makeProcess } from '../support/tenants/factories';
import { openTestStore } from '../support/stack/database';
import { until } from '../support/until';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { field, takePictures, untilSettled, useWebWorld } from './support/web-world';
import { VIEWPORTS } from './support/windows';

const web = useWebWorld();

/** A script that counts the lines of text of each item of a list in a dialog. */
const COUNT_LINES_OF_ITEMS = `[...document.querySelectorAll('[role="dialog"] li')].map((item) => {
  const range = document.createRange();
  range.selectNodeContents(document.createTreeWalker(item, NodeFilter.SHOW_TEXT).nextNode());
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
})`;

const idShape = s.object({ id: s.text() });
const scheduleList = s.object({ schedules: s.list(s.object({ id: s.text(), matrix: s.anything })) });

test('a schedule is made from the variables of its process, followed in its calendar, changed, switched off and deleted', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  await makeProcess(stack, {
    owner,
    processName: 'Faturamento',
    matrix: [
      { name: 'total', type: 'Moeda', default: '10,00' },
      { name: 'senha', type: 'Secreto' },
    ],
  });
  const page = await open('/schedules', { as: owner });
  await page.getByRole('button', { name: 'Novo agendamento' }).first().click();
  const dialog = page.getByRole('dialog');
  await field(dialog, 'Processo').and(page.locator(':focus')).waitFor();
  await dialog.getByRole('button', { name: 'Criar' }).press('Enter');
  await dialog.getByText('Escolha o processo que ele inicia.').waitFor();
  await field(dialog, 'Processo').and(page.locator(':focus')).waitFor();
  await field(dialog, 'Processo').selectOption('Faturamento');
  await field(dialog, 'Nome').fill('Fim do dia');
  await dialog.getByText('Às 08:00, de segunda-feira a sexta-feira').waitFor();
  await field(dialog, 'Repetição').selectOption('De hora em hora');
  expect(await field(dialog, 'Expressão').count()).toBe(0);
  await field(dialog, 'Repetição').selectOption('Outra, pela expressão');
  expect(await field(dialog, 'Expressão').inputValue()).toBe('0 * * * *');
  await field(dialog, 'Expressão').fill('60 18 * * *');
  await dialog.getByText('Expressão: o campo "minuto" aceita de 0 a 59, não 60').waitFor();
  expect(await field(dialog, 'Repetição').locator('option:checked').textContent()).toBe('Outra, pela expressão');
  await field(dialog, 'Expressão').fill('30 18 * * *');
  await dialog.getByText('Às 18:30', { exact: true }).waitFor();
  const times = dialog.getByText(/de \d{4}, 18:30$/);
  await times.nth(2).waitFor();
  expect(await times.count()).toBe(3);
  await dialog.getByRole('button', { name: 'Mostrar mais 7 horários' }).press('Enter');
  await times.nth(9).waitFor();
  await dialog.getByRole('button', { name: 'Mostrar menos horários' }).press('Enter');
  await times.nth(3).waitFor({ state: 'detached' });
  expect(await times.count()).toBe(3);
  await dialog.getByText(/um Secreto não fica no agendamento/).waitFor();
  await field(dialog, 'total').fill('R$ 1.234,5');
  await dialog.getByText('R$ 1.234,50', { exact: true }).waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await takePictures(page, 'schedule-form');
  await dialog.getByRole('button', { name: 'Criar' }).click();
  const row = page.getByRole('row', { name: /Fim do dia/ });
  await row.getByText('Às 18:30', { exact: false }).waitFor();
  await row.getByText('30 18 * * * · horário de São Paulo').waitFor();
  const [made] = scheduleList.parse(await owner.manage('GET', '/schedules')).schedules;
  expect(made?.matrix).toEqual({ total: 'R$ 1.234,5' });

  // Inserts the firings of two nominal times of a past month.
  const store = await openTestStore(stack.databaseUrl);
  for (const [day, result, code] of [
    ['03', 'fired', null],
    ['04', 'failed', 'PROCESS_NOT_PUBLISHED'],
  ] as const) {
    await store.write(
      `INSERT INTO schedule_firing (schedule_id, nominal_at, instance_id, result, reason_code, reason_message)
       VALUES (?, ?, ?, ?, ?, ?)`,
      [made?.id, new Date(`2026-03-${day}T21:30:00Z`), uuid(), result, code, code],
    );
  }
  await store.close();
  await page.goto(`/schedules/${made?.id}?month=2026-03`);
  const march = page.getByRole('table', { name: 'março de 2026' });
  await march.getByRole('button', { name: /^terça-feira, 3 de março 1 iniciado$/ }).click();
  await page.getByRole('heading', { name: 'terça-feira, 3 de março de 2026' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByText('O processo não tem versão publicada ou está desligado.').waitFor();
  expect(new URL(page.url()).searchParams.get('day')).toBe('2026-03-04');
  expect(await findSeriousViolations(page)).toEqual([]);
  await takePictures(page, 'schedule');
  await page.setViewportSize(VIEWPORTS.narrow);
  await until(
    () => page.getByRole('list', { name: 'março de 2026' }).getByRole('listitem').count(),
    (count) => count === 2,
  );
  await untilSettled(page);
  expect(await scrollsSideways(page)).toBe(false);
  await page.setViewportSize(VIEWPORTS.wide);

  await page.getByRole('button', { name: 'Editar' }).click();
  expect(await field(page.getByRole('dialog'), 'total').inputValue()).toBe('R$ 1.234,5');
  await field(page.getByRole('dialog'), 'Nome').fill('Fechamento');
  await page.getByRole('dialog').getByRole('button', { name: 'Salvar' }).click();
  await page.getByRole('heading', { level: 1, name: 'Fechamento' }).waitFor();
  await page.goto(`/schedules/${made?.id}?month=2099-01`);
  await page
    .getByRole('button', { name: /1 por vir$/ })
    .first()
    .waitFor();
  await page.getByRole('switch', { name: 'Ativo: Fechamento', disabled: false }).press('Space');
  await page.getByText('Ele está desligado: não inicia nada.').waitFor();
  await page.getByRole('switch').and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'Excluir' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Excluir' }).click();
  await page.getByText('Nada inicia sozinho ainda').waitFor();
});

test('the list and the page of a schedule say that a day needs to match only one of its two day fields', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  const schedules = `/processes/${processID}/schedules`;
  await owner.manage('POST', schedules, { name: 'Either', cronExpression: '0 8 1,15 * MON-FRI', matrix: {} });
  await owner.manage('POST', schedules, { name: 'Both', cronExpression: '0 8 */2 * MON', matrix: {} });
  const page = await open('/schedules', { as: owner, language: 'en' });
  const note = 'Day and weekday are both given: a day that fits one of them is enough.';
  await page.getByRole('row').filter({ hasText: 'Either' }).getByText(note, { exact: true }).waitFor();
  expect(await page.getByText(note, { exact: true }).count()).toBe(1);
  await page.getByRole('link', { name: 'Either', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Either', exact: true }).waitFor();
  await page.getByText(note, { exact: true }).waitFor();
});

test('a renamed process has its new name at once where other pages offer or list processes', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner, processName: 'Before' });
  await owner.manage('POST', `/processes/${processID}/schedules`, { name: 'Daily', cronExpression: '0 8 * * *' });
  const page = await open('/schedules', { as: owner, language: 'en' });
  await page.getByRole('cell', { name: 'Before', exact: true }).waitFor();
  const choices = page.getByRole('main').getByLabel('Process').locator('option');
  await choices.filter({ hasText: 'Before' }).waitFor({ state: 'attached' });
  await page.getByRole('link', { name: 'Processes', exact: true }).click();
  await page.getByRole('link', { name: 'Before' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await field(page.getByRole('dialog'), 'Name').fill('After');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'After' }).waitFor();
  await page.getByRole('link', { name: 'Schedules', exact: true }).click();
  await choices.filter({ hasText: 'After' }).waitFor({ state: 'attached' });
  await page.getByRole('cell', { name: 'After', exact: true }).waitFor();
  expect(await choices.allInnerTexts()).not.toContain('Before');
});

test('a page, or a part of one, whose script does not load says so and keeps what was typed', async () => {
  const { open, owner } = web();
  const page = await open('/schedules', { as: owner, language: 'en' });
  const missing = /\/assets\/(cronstrue|runs-page)-/;
  await page.route(missing, (route) => route.abort());
  await page.getByRole('button', { name: 'New schedule' }).first().click();
  const name = field(page.getByRole('dialog'), 'Name');
  await name.fill('Typed before');
  const failed = page.getByRole('alert').filter({ hasText: 'A part of this page did not load' });
  await failed.getByRole('button', { name: 'Later' }).click();
  expect(await name.inputValue()).toBe('Typed before');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Leave without saving' }).click();
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.mouse.move(700, 600);
  await page.getByRole('main').getByRole('alert').filter({ hasText: 'did not load' }).waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await page.unroute(missing);
  await page.getByRole('main').getByRole('button', { name: 'Load again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();

  await page.route(/\/assets\/first-.*\.js$/, (route) => route.abort());
  await page.reload();
  const again = page.getByRole('link', { name: 'load it again' });
  await again.waitFor();
  await page.unroute(/\/assets\/first-.*\.js$/);
  await again.click();
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
});

test('an expression that is longer than the line of a phone breaks, and its pages stay as wide as the window', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  const cronExpression = '0,5,10,15,20,25,30,35,40,45,50,55 8,9,10,11,12,13,14,15,16,17 * * MON,TUE,WED,THU,FRI';
  const draft = { name: 'Often', cronExpression, matrix: {} };
  const { id } = idShape.parse(await owner.manage('POST', `/processes/${processID}/schedules`, draft));
  const page = await open('/schedules', { as: owner, language: 'en', viewport: 'narrow' });
  for (const path of ['/schedules', `/schedules/${id}`]) {
    await page.goto(path);
    await page.locator('code').getByText(cronExpression).first().waitFor();
    await untilSettled(page);
    expect(await scrollsSideways(page)).toBe(false);
  }
});

test('an expression that is refused while it is typed keeps the focus', async () => {
  const { open, owner } = web();
  const page = await open('/schedules', { as: owner, language: 'en' });
  await page.getByRole('button', { name: 'New schedule' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Add' }).press('Enter');
  await dialog.getByText('Give the schedule a name.').waitFor();
  await dialog.locator('[aria-invalid="true"]:focus').waitFor();
  await field(dialog, 'Repeats').selectOption('Other, by the expression');
  await field(dialog, 'Expression').fill(`${'0,'.repeat(500)}0 8 * * *`);
  await dialog
    .getByRole('alert')
    .filter({ hasText: /1.?000/ })
    .waitFor();
  await untilSettled(page);
  expect(await field(dialog, 'Expression').and(page.locator(':focus')).count()).toBe(1);
});

test.each(['pt-BR', 'en'] as const)(
  'on a phone in dark mode each of the next times of a schedule takes one line, in the language %s',
  async (language) => {
    const { open, owner } = web();
    const page = await open('/schedules', { as: owner, language, viewport: 'narrow', colorScheme: 'dark' });
    await page
      .getByRole('button', { name: /^(Novo agendamento|New schedule)$/ })
      .first()
      .click();
    const times = page.getByRole('dialog').getByRole('listitem');
    await times.nth(2).waitFor();
    await untilSettled(page);
    expect(await page.evaluate(COUNT_LINES_OF_ITEMS)).toEqual([1, 1, 1]);
    expect(await findSeriousViolations(page)).toEqual([]);
  },
);

test('somebody without a process to schedule is led to the processes instead of to the form of a schedule', async () => {
  const { open, stack, process } = web();
  const guest = await makeOwner(stack);
  const share = `/processes/${process.processID}/shares/${encodeURIComponent(guest.email)}`;
  await process.owner.manage('PUT', share, {
    execute: true,
    edit: false,
    schedule: false,
    api: false,
    share: false,
    delete: false,
  });
  const page = await open('/schedules', { as: guest });
  await page.getByText(/Um agendamento inicia um processo: crie um primeiro/).waitFor();
  expect(await page.getByRole('button', { name: 'Novo agendamento' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Ir para os processos' }).click();
  await page.waitForURL('**/processes');
});

test('another month of a calendar and another period of the credits keep the place on the page of a phone', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const { processID } = await makeProcess(stack, { owner });
  const draft = { name: 'Daily', cronExpression: '0 8 * * *', matrix: {} };
  const { id } = idShape.parse(await owner.manage('POST', `/processes/${processID}/schedules`, draft));
  const page = await open(`/schedules/${id}?month=2099-01`, { as: owner, language: 'en', viewport: 'narrow' });
  await page.setViewportSize({ ...VIEWPORTS.narrow, height: 320 });
  const place = async () => Number(await page.evaluate('window.scrollY'));
  const later = page.getByRole('button', { name: 'Later' });
  await page.getByRole('list', { name: 'January 2099' }).waitFor();
  await later.focus();
  expect(await place()).toBeGreaterThan(0);
  await later.press('Enter');
  await page.getByRole('list', { name: 'February 2099' }).waitFor();
  expect(await place()).toBeGreaterThan(0);

  await page.goto('/company');
  await page.getByLabel('From', { exact: true }).fill('2026-01-01');
  expect(await place()).toBeGreaterThan(0);
  await page.waitForURL((url) => url.searchParams.get('from') === '2026-01-01');
  await untilSettled(page);
  expect(await place()).toBeGreaterThan(0);
});

test('the form of a schedule whose environment the account no longer reaches says so instead of showing an id', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const colleague = await makeOwner(stack, { company: owner.company, role: 'administrator' });
  const { environmentID } = await makeEnvironment(stack, { owner: colleague });
  const share = (shared: boolean) => colleague.manage('PATCH', `/environments/${environmentID}`, { shared });
  await share(true);
  const { processID } = await makeProcess(stack, { owner });
  const schedule = { name: 'Daily', cronExpression: '0 8 * * *', environmentID };
  const made = await owner.manage('POST', `/processes/${processID}/schedules`, schedule);
  await share(false);
  const page = await open(`/schedules/${idShape.parse(made).id}`, { as: owner, language: 'en' });
  await page.getByRole('button', { name: 'Edit' }).click();
  const choices = page.getByRole('dialog').getByLabel('Environment').locator('option');
  await choices.filter({ hasText: 'Another one (out of your reach)' }).waitFor({ state: 'attached' });
  expect(await choices.allInnerTexts()).not.toContain(environmentID);
});
