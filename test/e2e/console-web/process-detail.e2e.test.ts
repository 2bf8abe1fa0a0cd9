import type { Page, Route } from 'playwright-core';
import { makeEnvironment, makeOwner, makeProcess } from '../support/tenants/factories';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { REFUSALS } from './support/refusals';
import {
  beforeNextPut,
  field,
  takePictures,
  untilNotified,
  untilSettled,
  useWebWorld,
  watchDialogTexts,
} from './support/web-world';
import { VIEWPORTS } from './support/windows';

const web = useWebWorld();

/** Opens a tab of a new process, which has its own owner. Its environment has no agent, so its runs stay queued. */
async function openProcess(
  tab: string,
  matrix: { name: string; type: string }[] = [],
): Promise<{ page: Page; pid: string }> {
  const { stack, open } = web();
  const owner = await makeOwner(stack);
  const environment = await makeEnvironment(stack, { owner });
  const { processID } = await makeProcess(stack, { owner, environment, processName: 'Boletos', matrix });
  return { page: await open(`/processes/${processID}/${tab}`, { as: owner }), pid: processID };
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();

test('the owner adds a variable whose default is converted while typing, checks values and runs the process', async () => {
  const { page, pid } = await openProcess('matrix');
  await press(page, 'Nova variável');
  await field(page, 'Nome').last().fill('valor_pago');
  await field(page, 'Tipo').last().selectOption('Moeda');
  await field(page, 'Valor padrão').last().fill('R$ 1.010,5');
  await page.getByText('R$ 1.010,50').waitFor();
  await press(page, 'Salvar a Matrix');
  await untilNotified(page, 'A Matrix foi salva.');
  expect(await findSeriousViolations(page)).toEqual([]);
  await takePictures(page, 'process-matrix');
  await page.goto(`/processes/${pid}/run`);
  await field(page, 'valor_pago').fill('1,2,3');
  await press(page, 'Executar agora');
  await page.getByRole('alert').getByText('valor_pago: "1,2,3" não é um valor em dinheiro').waitFor();
  await press(page, 'Conferir sem executar');
  const result = page.getByRole('status').filter({ hasText: 'Uma execução com estes valores seria recusada' });
  await result.getByText('valor_pago: "1,2,3" não é um valor em dinheiro').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByText('Este valor não serve como Moeda').waitFor();
  await field(page, 'valor_pago').fill('R$ 1.234,567');
  await press(page, 'Conferir sem executar');
  await page.getByText('R$ 1.234,57').waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await takePictures(page, 'process-run');
  await press(page, 'Executar agora');
  await page.getByRole('link', { name: 'Acompanhar a execução' }).click();
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
});

test('a switch that could not be saved is reported on the page that the user has opened meanwhile', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  const page = await open(`/processes/${processID}`, { as: owner, language: 'en' });
  const { promise: hasLeft, resolve: refuse } = Promise.withResolvers<void>();
  await page.route(`**/processes/${processID}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    await hasLeft;
    return route.fulfill(REFUSALS.outage);
  });
  await page.getByRole('switch', { name: 'The process is on' }).press('Space');
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  refuse();
  await page.getByText(REFUSALS.outage.json.error.message).waitFor();
  expect(await page.getByText('That did not work').count()).toBe(1);
});

test('the field in which Enter started a run that is refused has the focus again', async () => {
  const { page } = await openProcess('run', [{ name: 'total', type: 'Moeda' }]);
  await field(page, 'total').fill('1,2,3');
  await field(page, 'total').press('Enter');
  await page.getByRole('alert').getByText('total: "1,2,3" não é um valor em dinheiro').waitFor();
  await field(page, 'total').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('4');
  expect(await field(page, 'total').inputValue()).toBe('1,2,34');
});

test('until the answer to a run comes, its button is busy and its fields cannot be changed, and a second press starts nothing', async () => {
  const { page, pid } = await openProcess('run', [{ name: 'cliente', type: 'Texto' }]);
  const starts: Route[] = [];
  let answer: () => void = () => undefined;
  const isPressedAgain = new Promise<void>((resolve) => (answer = resolve));
  await page.route(`**/processes/${pid}/run`, async (route) => {
    starts.push(route);
    await isPressedAgain;
    await route.continue();
  });
  await press(page, 'Executar agora');
  const button = page.locator('button[type="submit"]', { hasText: 'Executar agora' });
  await page.locator('button[type="submit"][data-loading="true"]').waitFor();
  for (const name of ['cliente', 'Ambiente']) expect(await field(page, name).isDisabled()).toBe(true);
  expect(await button.isDisabled()).toBe(true);
  await button.click({ force: true });
  await page.keyboard.press('Enter');
  answer();
  await page.getByRole('link', { name: 'Acompanhar a execução' }).waitFor();
  expect(await button.isEnabled()).toBe(true);
  expect(await field(page, 'cliente').isEnabled()).toBe(true);
  expect(starts).toHaveLength(1);
});

test('an edit of the Matrix is neither overwritten by that of somebody else nor lost by leaving', async () => {
  const { page, pid } = await openProcess('matrix');
  const other = await page.context().newPage();
  await other.goto(page.url());
  for (const [window, name] of [
    [page, 'minha'],
    [other, 'outra'],
  ] as const) {
    await press(window, 'Nova variável');
    await field(window, 'Nome').last().fill(name);
  }
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await press(other, 'Salvar a Matrix');
  await untilNotified(other, 'A Matrix foi salva.');
  await press(page, 'Salvar a Matrix');
  await page.getByText('Outra pessoa salvou a Matrix').waitFor();
  const changedTexts = await watchDialogTexts(page);
  await press(page, 'Continuar editando');
  await page.locator('.mantine-Modal-title').waitFor({ state: 'detached' });
  expect(await changedTexts()).toEqual([]);
  expect(await field(page, 'Nome').last().inputValue()).toBe('minha');
  // Somebody saves once more after the editor's last read, so that If-Match refuses the editor's save.
  const again = { matrix: [{ name: 'mais_uma', type: 'Texto' }] };
  const path = `/manage/v1/processes/${pid}/matrix`;
  await beforeNextPut(page, '/matrix', () => page.context().request.put(path, { data: again }));
  await press(page, 'Salvar a Matrix');
  await press(page, 'Salvar a minha no lugar dela');
  await page.getByText(/Agora ela tem: mais_uma\./).waitFor();
  await press(page, 'Continuar editando');
  expect(await field(page, 'Nome').last().inputValue()).toBe('minha');
  await page.getByRole('tab', { name: 'Chaves' }).click();
  await page.getByText('Sair sem salvar?').waitFor();
});

test('a process key is shown once, with programs that use it, and then no longer found on the page', async () => {
  const { page, pid } = await openProcess('keys');
  await press(page, 'Nova chave');
  await field(page, 'Identificação').fill('ERP <b>');
  await press(page, 'Criar');
  const key = (await page.getByLabel('Chave do processo', { exact: true }).textContent()) ?? '';
  expect(key).toMatch(/^bpk_/);
  await page.getByText(`X-Process-Key: ${key}`).first().waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await press(page, 'Copiar: Chave do processo');
  await page.getByRole('button', { name: 'Copiado: Chave do processo' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
  await press(page, 'Já copiei');
  await page.getByText('ERP <b>').waitFor();
  await page.getByText('Chave do processo').waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(key);
  expect(await page.getByLabel('curl', { exact: true }).last().textContent()).toContain(`/v1/processes/${pid}/start`);
  expect(await findSeriousViolations(page)).toEqual([]);
  await takePictures(page, 'process-keys');
});

describe('on a phone', () => {
  let page: Page;
  beforeAll(async () => {
    page = await web().open('/', { as: web().owner, viewport: 'narrow', language: 'en' });
  });

  test.each(['', 'matrix', 'versions', 'keys', 'shares', 'run'])(
    'the tab "%s" of a process has no serious violation, needs no scrolling sideways and shows all tabs',
    async (path) => {
      await page.goto(`/processes/${web().process.processID}/${path}`);
      await untilSettled(page);
      expect(await findSeriousViolations(page)).toEqual([]);
      expect(await scrollsSideways(page)).toBe(false);
      const tabs = page.getByRole('tablist', { name: 'Parts of the process' });
      for (const tab of await tabs.getByRole('tab').all()) {
        const { x = -1, width = 0 } = (await tab.boundingBox()) ?? {};
        expect([x >= 0, x + width <= VIEWPORTS.narrow.width]).toEqual([true, true]);
      }
    },
  );
});

test('a variable that was just added to the Matrix is asked for by a debug run of the flow', async () => {
  const { page, pid } = await openProcess('flow');
  await press(page, 'Execução de teste');
  await page.getByText('O processo não tem variável da Matrix.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('main').getByRole('link', { name: 'Boletos', exact: true }).click();
  await page.getByRole('tab', { name: 'Matrix' }).click();
  await press(page, 'Nova variável');
  await field(page, 'Nome').last().fill('valor_pago');
  await press(page, 'Salvar a Matrix');
  await untilNotified(page, 'A Matrix foi salva.');
  await page.getByRole('tab', { name: 'Fluxo' }).click();
  await page.waitForURL(`**/processes/${pid}/flow`);
  await press(page, 'Execução de teste');
  await field(page.getByRole('dialog'), 'valor_pago').waitFor();
  expect(await field(page.getByRole('dialog'), 'valor_pago').count()).toBe(1);
});
