import type { Flow } from '@batuta/flow';
import type { Locator, Page } from 'playwright-core';
import { openTestStore } from '../support/stack/database';
import type { Program } from '../support/stack/program';
import { makeEnvironment, makeProcess, type Environment } from '../support/tenants/factories';
import { untilOnline } from '../support/tenants/instances';
import { until } from '../support/until';
import { findSeriousViolations } from './support/accessibility';
import { HOSTILE_NAME, ORDER_FLOW } from './support/order-flow';
import { press } from './support/refusals';
import { takePictures, useWebWorld } from './support/web-world';

const web = useWebWorld();

const WAIT_STEP = { name: 'Wait', type: 'wait', seconds: 600 } as const;

let environment: Environment;
let agent: Program;
beforeEach(async () => {
  environment = await makeEnvironment(web().stack, { owner: web().owner });
  agent = await web().stack.startAgent(environment);
  await untilOnline(environment);
});
afterEach(() => agent.end());

/** Begins a debug run in the editor of a process with this flow, and returns the bar of the run. */
async function beginRun(steps: Flow['steps']): Promise<{ page: Page; bar: Locator }> {
  const { owner, stack, open } = web();
  const flow: Flow = { start: steps[0]?.name ?? '', steps };
  const { processID } = await makeProcess(stack, { owner, environment, flow });
  const page = await open(`/processes/${processID}/flow`, { as: owner });
  await press(page, 'Execução de teste');
  await press(page.getByRole('dialog'), 'Executar');
  return { page, bar: page.getByRole('region', { name: 'Execução de teste' }) };
}

const stepIn = (bar: Locator, name: string) => bar.getByRole('listitem').filter({ hasText: name });

test('a debug run that fails says at which step and why, and the step is marked', async () => {
  const { page, bar } = await beginRun([
    { name: 'Prepare', type: 'variables', routes: [{ to: 'Break' }] },
    { name: 'Break', type: 'script', code: 'throw new Error("no such order")' },
  ]);
  await bar.getByText('Com erro', { exact: true }).waitFor();
  await bar.getByRole('alert').filter({ hasText: 'Break' }).getByText('no such order').waitFor();
  expect(await bar.getByRole('listitem').allTextContents()).toEqual([
    '1. Prepare 1ª visita: concluída',
    '2. Break 2ª visita: falhou',
  ]);
  expect(await bar.getByRole('button', { name: 'Parar' }).count()).toBe(0);
  expect(await findSeriousViolations(page)).toEqual([]);
  await takePictures(page, 'flow-editor-failed-run');
});

test('a debug run is paused, resumed and stopped from its bar, and the step that was running is marked as stopped', async () => {
  const { page, bar } = await beginRun([{ name: 'Turn', type: 'wait', seconds: 1, routes: [{ to: 'Turn' }] }]);
  await bar.getByText('Em execução', { exact: true }).waitFor();
  await press(bar, 'Pausar');
  await press(page.getByRole('dialog'), 'Pausar');
  await bar.getByText('Pausada', { exact: true }).waitFor();
  await press(bar, 'Retomar');
  await press(page.getByRole('dialog'), 'Retomar');
  await bar.getByText('Em execução', { exact: true }).waitFor();
  await press(bar, 'Parar');
  await press(page.getByRole('dialog'), 'Parar');
  await bar.getByText('Parada', { exact: true }).waitFor();
  await bar.getByRole('listitem').last().getByText('visita: interrompida').waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
});

test('a debug run whose agent was lost says so, and its step is marked as failed', async () => {
  const { page, bar } = await beginRun([WAIT_STEP]);
  await stepIn(bar, 'Wait').getByText('1ª visita: em andamento').waitFor();
  await agent.kill();
  await endLease(environment);
  await bar.getByText('Com erro', { exact: true }).waitFor();
  await bar.getByText('O agente que fazia a execução se perdeu.').waitFor();
  await stepIn(bar, 'Wait').getByText('1ª visita: falhou').waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
});

test('a debug run that waits says why, and stops', async () => {
  await agent.end();
  const { page, bar } = await beginRun([WAIT_STEP]);
  await bar.getByText('Na fila', { exact: true }).waitFor();
  await bar.getByText('Nenhum agente do ambiente está conectado agora.', { exact: false }).waitFor();
  await press(bar, 'Parar');
  await press(page.getByRole('dialog'), 'Parar');
  await bar.getByText('Parada', { exact: true }).waitFor();
  await bar
    .getByText('Nenhum agente do ambiente está conectado agora.', { exact: false })
    .waitFor({ state: 'detached' });
  expect(await bar.getByRole('listitem').count()).toBe(0);
});

test('a debug run says at its field which value is refused, and the next one begins with the values of the last, without Secretos', async () => {
  const { owner, stack, open } = web();
  const { processID } = await makeProcess(stack, {
    owner,
    environment,
    flow: { start: 'Wait', steps: [{ ...WAIT_STEP, seconds: 0 }] },
    matrix: [
      { name: 'urgent', type: 'Verdadeiro/Falso' },
      { name: 'order', type: 'Objeto' },
      { name: 'token', type: 'Secreto' },
    ],
  });
  const page = await open(`/processes/${processID}/flow`, { as: owner });
  await press(page, 'Execução de teste');
  const dialog = page.getByRole('dialog');
  const order = dialog.getByRole('textbox', { name: 'order' });
  await dialog.getByRole('combobox', { name: 'urgent' }).selectOption('Verdadeiro');
  await order.fill('{"id": ');
  await dialog.getByRole('textbox', { name: 'token' }).fill('s3cret');
  await press(dialog, 'Executar');
  await dialog.getByText('Este valor não serve como Objeto', { exact: false }).waitFor();
  expect(await order.getAttribute('aria-invalid')).toBe('true');
  await takePictures(page, 'flow-editor-debug-refused');
  await order.fill('{\n  "id": 7\n}');
  await press(dialog, 'Executar');
  await dialog.waitFor({ state: 'detached' });
  await press(page, 'Execução de teste');
  await order.waitFor();
  expect(await dialog.getByRole('combobox', { name: 'urgent' }).inputValue()).toBe('true');
  expect(await order.inputValue()).toBe('{\n  "id": 7\n}');
  expect(await dialog.getByRole('textbox', { name: 'token' }).inputValue()).toBe('');
});

/** Ends the lease of the environment's agent before its time. */
async function endLease({ environmentID }: Environment): Promise<void> {
  const store = await openTestStore(web().stack.databaseUrl);
  await store.write('UPDATE agent_session SET lease_until = ? WHERE environment_id = ?', [new Date(0), environmentID]);
  await store.close();
}

test('a debug run waits for its agent and lights up the path that it takes, with the values of each step', async () => {
  const { stack, owner, open } = web();
  const waiting = await makeEnvironment(stack, { owner });
  const matrix = [{ name: 'amount', type: 'Moeda', default: '10,00' }];
  const process = await makeProcess(stack, {
    owner,
    environment: waiting,
    flow: ORDER_FLOW,
    matrix,
  });
  const page = await open(`/processes/${process.processID}/flow`, { as: owner, language: 'en' });
  await page.getByRole('button', { name: 'Debug run' }).click();
  await page.getByLabel('amount').fill('600,00');
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
  const run = page.getByRole('region', { name: 'Debug run' });
  await run.getByText('queued').waitFor();
  // A browser without a network fires `offline`, although the console on the same machine can be reached; so the page must go
  // on reading the run.
  await page.evaluate("window.dispatchEvent(new Event('offline'))");
  await stack.startAgent(waiting);
  await run.getByText('finished').waitFor({ timeout: 90_000 });
  expect(await run.getByRole('listitem').allTextContents()).toEqual([
    '1. Compute the total 1. visit: done',
    '2. Report 2. visit: done',
    `3. ${HOSTILE_NAME} 3. visit: done`,
  ]);
  await until(
    () => page.locator('path.was-taken').count(),
    (count) => count === 2,
  );
  await run.getByRole('button', { name: /Compute the total/ }).click();
  await page.getByRole('tab', { name: 'Run' }).click();
  await page.getByText('total = 1.200,00').waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await takePictures(page, 'flow-editor-debug-run');
});
