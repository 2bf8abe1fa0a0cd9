import * as s from '../../support/shape';
import { answeringFlow } from '../support/tenants/answer-flows';
import type { Stack } from '../support/stack/stack';
import { makeEnvironment, makeOwner, makeProcess } from '../support/tenants/factories';
import { instanceOf, untilEnded, untilOnline, untilStatus } from '../support/tenants/instances';
import { until } from '../support/until';
import { makeOrigin, sendEvent } from '../support/webhooks/webhooks';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { field, primaryButtons, untilSettled, takePictures, useWebWorld } from './support/web-world';
import { VIEWPORTS } from './support/windows';

const web = useWebWorld();

/** A name with a script. If a page shows the name as markup, the script runs, and its error fails the test. */
const HOSTILE = '<img src=x onerror="throw new Error(1)">';

test('a first run waits until an agent of the environment is connected', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  await makeProcess(stack, { owner, environment: await makeEnvironment(stack, { owner }) });
  const page = await open('/', { as: owner });
  await page.getByText('Feito', { exact: true }).waitFor();
  await page.getByText(/nenhum agente está conectado/).waitFor();
  expect(await page.getByRole('button', { name: 'Executar agora' }).isDisabled()).toBe(true);
});

const detailsShape = s.object({ run: s.object({ startedAt: s.text() }) });

test('a first visit leads in three steps to a first run, which is watched live and run again', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const page = await open('/', { as: owner });
  await page.getByRole('button', { name: 'Criar ambiente' }).waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await takePictures(page, 'first-visit');
  const environment = await makeEnvironment(stack, { owner });
  await stack.startAgent(environment);
  await untilOnline(environment);
  await page.getByText('Feito').waitFor();
  expect(await primaryButtons(page.getByRole('main')).allInnerTexts()).toEqual(['Publicar o exemplo']);
  const { environmentID: other } = await makeEnvironment(stack, { owner, name: 'Testes' });
  await page.getByRole('button', { name: 'Publicar o exemplo' }).click();
  await page.getByRole('button', { name: 'Executar agora' }).click();
  await page.getByRole('heading', { level: 1, name: 'Execução de Meu primeiro processo' }).waitFor();
  await page.getByRole('log').getByText('segue para "Esperar um pouco"').waitFor();
  await page.getByText('A execução terminou', { exact: true }).waitFor();
  const path = page.getByRole('list', { name: 'Caminho pelo fluxo' });
  await until(
    () => path.getByText('Feito').count(),
    (count) => count === 3,
  );
  expect(await findSeriousViolations(page)).toEqual([]);
  await takePictures(page, 'run');

  const first = page.url();
  await page.getByRole('button', { name: 'Executar de novo' }).click();
  await field(page.getByRole('dialog'), 'nome').fill(HOSTILE);
  await field(page.getByRole('dialog'), 'Ambiente').selectOption({ label: 'Testes' });
  await page.getByRole('dialog').getByRole('button', { name: 'Executar' }).click();
  await page.waitForURL((url) => url.href !== first);
  await page.getByRole('cell', { name: HOSTILE }).waitFor();
  await page.locator(`dd a[href="/environments/${other}"]`, { hasText: 'Testes' }).waitFor();
  const link = page.getByRole('link', { name: 'Uma execução anterior' });
  expect(await link.getAttribute('href')).toBe(new URL(first).pathname);
  await page.setViewportSize(VIEWPORTS.narrow);
  await page.emulateMedia({ colorScheme: 'dark' });
  await untilSettled(page);
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);

  await page.goto('/');
  await page.getByText('Créditos restantes').waitFor();
  await untilSettled(page);
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
  await takePictures(page, 'dashboard');
  await page.getByText('Ver os números em uma tabela').click();
  await page.getByRole('table', { name: 'Execuções ao longo do tempo' }).waitFor();
  await page.getByText('Metade dura até').first().waitFor();
  expect(await page.getByText('Nenhuma execução iniciada neste período terminou').count()).toBe(0);
  expect(await findSeriousViolations(page)).toEqual([]);
});

test('the page of a run shows the answer that its webhook caller got as text', async () => {
  const { open, stack } = web();
  const environment = await makeEnvironment(stack);
  await stack.startAgent(environment);
  await untilOnline(environment);
  const answered = { total: 7, name: HOSTILE };
  const process = await makeProcess(stack, { environment, flow: answeringFlow(JSON.stringify(answered), 202) });
  const { prodUrl } = await makeOrigin(process, { responseMode: 'Aguardar', waitSeconds: 120 });
  const { status, body, instanceID } = await sendEvent(prodUrl, {});
  expect([status, body]).toEqual([202, answered]);
  const page = await open(`/runs/${instanceID}`, { as: process.owner, language: 'en' });
  const answer = page.getByRole('region', { name: 'Answer given' }).getByLabel('HTTP code 202', { exact: true });
  expect(JSON.parse((await answer.textContent()) ?? '')).toEqual(answered);
});

test('the filters of the list are in its address', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const process = await makeProcess(stack, { owner, processName: 'Waits for an agent' });
  await process.start();
  const page = await open('/runs?status=queued&origin=api', { as: owner, language: 'en' });
  await page.getByRole('link', { name: 'Waits for an agent' }).waitFor();
  await page.getByRole('combobox', { name: 'Status' }).press('ArrowDown');
  await page.getByRole('option', { name: 'Failed' }).click();
  await page.waitForURL((url) => url.searchParams.get('status') === 'queued,error');
  await page.getByRole('link', { name: 'Waits for an agent' }).waitFor();
  await page.getByRole('option', { name: 'Queued' }).click();
  await page.getByText('No run fits the filters.').waitFor();
  expect(new URL(page.url()).search).toBe('?status=error&origin=api');
  await page.keyboard.press('Escape');
  expect(await findSeriousViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await page.getByRole('link', { name: 'Waits for an agent' }).waitFor();
  expect(new URL(page.url()).search).toBe('');

  await page.goto(`/processes/${process.processID}`);
  await page.getByRole('link', { name: 'See the runs' }).click();
  await page.waitForURL((url) => url.search === `?process=${process.processID}`);
  await page.getByRole('link', { name: 'Waits for an agent' }).waitFor();
});

test.each([
  ['/runs', 'status=queued&origin=api', 'Status'],
  ['/company/audit', 'action=process.change&from=2026-01-01', 'Action'],
])('on a phone the filters of %s are behind a button that tells how many are active', async (path, search, label) => {
  const { open, owner } = web();
  const page = await open(`${path}?${search}`, { as: owner, language: 'en', viewport: 'narrow' });
  const button = page.getByRole('button', { name: /^Filters/ });
  const filter = page.getByRole('main').getByLabel(label, { exact: true }).first();
  await untilSettled(page);
  expect(await button.innerText()).toBe('Filters (2)');
  expect(await filter.isVisible()).toBe(false);
  await button.press('Enter');
  await filter.waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await page.getByRole('button', { name: 'Filters', exact: true, expanded: true }).click();
  await filter.waitFor({ state: 'hidden' });
  await page.setViewportSize(VIEWPORTS.wide);
  await filter.waitFor();
  await button.waitFor({ state: 'detached' });
});

test('a queued run says why it waits, and stops after a confirmation', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const process = await makeProcess(stack, { owner });
  const instanceID = instanceOf(await process.start());
  const page = await open(`/runs/${instanceID}`, { as: owner, language: 'en' });
  await page.getByText('No agent of the environment is connected now.').waitFor();
  await page.getByRole('button', { name: 'Stop' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).press('Enter');
  await page.getByText('The run has ended').waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  await page.getByRole('main').locator(':focus').waitFor();
  expect((await untilEnded(owner, instanceID)).status).toBe('stopped');
  await page.getByText('No agent of the environment is connected now.').waitFor({ state: 'detached' });
});

/** A run at an agent of its own that waits for ten minutes, unless it is stopped. */
async function startWaitingRun(stack: Stack) {
  const environment = await makeEnvironment(stack);
  const agent = await stack.startAgent(environment);
  await untilOnline(environment);
  const flow = { start: 'Wait', steps: [{ name: 'Wait', type: 'wait' as const, seconds: 600 }] };
  const process = await makeProcess(stack, { environment, flow });
  const instanceID = instanceOf(await process.start());
  await untilStatus(process.owner, instanceID, 'running');
  return { owner: process.owner, instanceID, agent };
}

test('the button that pauses and resumes a run keeps the focus, and each new status is announced', async () => {
  const { open, stack } = web();
  const { owner, instanceID, agent } = await startWaitingRun(stack);
  const page = await open(`/runs/${instanceID}`, { as: owner, language: 'en' });
  for (const [action, next, status] of [
    ['Pause', 'Resume', 'Paused'],
    ['Resume', 'Pause', 'Running'],
  ] as const) {
    await page.getByRole('main').getByRole('button', { name: action }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: action }).press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: next }).and(page.locator(':focus')).waitFor();
    await page.getByRole('status').getByText(status, { exact: true }).waitFor();
  }
  expect(await findSeriousViolations(page)).toEqual([]);
  await owner.manage('POST', `/instances/${instanceID}/stop`);
  await untilEnded(owner, instanceID);
  await agent.end();
});

test('a warning in the log has enough contrast in both colour schemes', async () => {
  const { open, stack } = web();
  const { owner, instanceID } = await startWaitingRun(stack);
  await owner.manage('POST', `/instances/${instanceID}/stop`);
  await untilEnded(owner, instanceID);
  const page = await open(`/runs/${instanceID}`, { as: owner, language: 'en' });
  await page.getByRole('log').getByText('Warning', { exact: true }).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await untilSettled(page);
    expect(await findSeriousViolations(page)).toEqual([]);
  }
});

test('a run that is under way shows how long it takes so far, on its page and in the list', async () => {
  const { open, stack } = web();
  const { owner, instanceID } = await startWaitingRun(stack);
  const { run } = detailsShape.parse(await owner.manage('GET', `/instances/${instanceID}/details`));
  const page = await open(`/runs/${instanceID}`, { as: owner, language: 'en' });
  await page.getByRole('timer').waitFor();
  // Stops the clock of this page.
  await page.evaluate(
    (held) => {
      Date.now = () => held;
    },
    Date.parse(run.startedAt) + 65_000,
  );
  await page.getByRole('timer').getByText('1 min 5 sec so far').waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  await page.getByRole('timer').getByText('1 min 5 sec so far').waitFor();
  await owner.manage('POST', `/instances/${instanceID}/stop`);
  await untilEnded(owner, instanceID);
});

test('a value that is refused when a run is repeated says why at its field, in the language of the user', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const process = await makeProcess(stack, { owner, matrix: [{ name: 'total', type: 'Moeda' }] });
  const page = await open(`/runs/${instanceOf(await process.start())}`, { as: owner });
  await page.getByRole('button', { name: 'Executar de novo' }).click();
  await field(page.getByRole('dialog'), 'total').fill('1,2,3');
  await page.getByRole('dialog').getByRole('button', { name: 'Executar' }).click();
  const reason = page.getByRole('dialog').getByText('"1,2,3" não é um valor em dinheiro', { exact: true });
  await reason.waitFor();
  expect(await reason.count()).toBe(1);
  await field(page.getByRole('dialog'), 'total').and(page.locator(':focus')).waitFor();
});

test('amounts of money and truth values have the format of the run form, in the English pages too', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const matrix = [
    { name: 'total', type: 'Moeda' },
    { name: 'paid', type: 'Verdadeiro/Falso' },
  ];
  const process = await makeProcess(stack, { owner, matrix });
  const instanceID = instanceOf(await process.start({ matrix: { total: '12,50', paid: false } }));
  const page = await open(`/runs/${instanceID}`, { as: owner, language: 'en' });
  const values = page.getByRole('table', { name: 'Values' });
  await values.getByRole('cell', { name: 'R$ 12,50', exact: true }).waitFor();
  await values.getByRole('cell', { name: 'False', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Run again' }).click();
  expect(await field(page.getByRole('dialog'), 'total').inputValue()).toBe('12,50');
  await page.goto(`/processes/${process.processID}/run`);
  await field(page, 'paid').selectOption('True');
  await page.getByRole('button', { name: 'Check without running' }).click();
  await page.locator('code').getByText('True', { exact: true }).waitFor();
  await owner.manage('PATCH', `/processes/${process.processID}`, { avgOperatorCost: 12.5 });
  await page.goto(`/processes/${process.processID}`);
  await page.getByText('R$ 12,50', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  expect(await field(page.getByRole('dialog'), 'Cost of a person per hour').inputValue()).toBe('12,5');
});

test('a value whose variable the process no longer has is hidden, and the page says why', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const process = await makeProcess(stack, { owner, matrix: [{ name: 'total', type: 'Moeda' }] });
  const instanceID = instanceOf(await process.start({ matrix: { total: '12,50' } }));
  await owner.manage('PUT', `/processes/${process.processID}/matrix`, { matrix: [] });
  const page = await open(`/runs/${instanceID}`, { as: owner, language: 'en' });
  const values = page.getByRole('table', { name: 'Values' });
  await values.getByRole('cell', { name: '•••', exact: true }).waitFor();
  await values.getByText('If it had a value, that is hidden, because it may be a secret.').waitFor();
  expect(await values.getByText('12,50').count()).toBe(0);
});
