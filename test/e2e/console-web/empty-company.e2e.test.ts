import type { Locator, Page } from 'playwright-core';
import { ensureBrowser } from '../../../scripts/lib/servers.cjs';
import * as s from '../../support/shape';
import { makeOwner } from '../support/tenants/factories';
import { messagesOf, statusOf } from '../support/tenants/instances';
import { until } from '../support/until';
import { findSeriousViolations } from './support/accessibility';
import { field, untilNotified, useWebWorld } from './support/web-world';

const web = useWebWorld();

/** A name with a script. If a page shows the name as markup, the script runs, and its error fails the test. */
const HOSTILE = '<img src=x onerror="throw new Error(1)">';
const ENVIRONMENT = `Robô ${HOSTILE}`;
const PROCESS = `Pedidos ${HOSTILE}`;
const PIN = 's3cret-pin-of-the-first-run';
const OTHER_PIN = 's3cret-pin-of-the-second-run';

const press = (page: Page | Locator, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const untilShown = (page: Page, text: string | RegExp) => page.getByText(text, { exact: true }).first().waitFor();

/** Opens a page by the navigation, and waits until it has replaced the page before, which may have links and buttons of the same names. */
async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name }).click();
  await heading(page, name).waitFor();
}

/** The whole text of a code block, which may stand in a section of the same name. */
async function codeIn(page: Page, label: string): Promise<string> {
  return (await page.getByLabel(label, { exact: true }).last().textContent()) ?? '';
}

/** A script that returns everything that the browser stores for the console's pages and their scripts can read, as text. */
const READ_STORAGE = `(async () => JSON.stringify({ ...localStorage, ...sessionStorage }) +
  JSON.stringify(await indexedDB.databases()) + JSON.stringify(await caches.keys()) + document.cookie)()`;

test('an owner goes from an empty company to a process with webhook, mapping, schedule and a run watched live', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const page = await open('/');
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  page.on('framenavigated', (frame) => addresses.push(frame.url()));
  let loads = 0;
  page.on('load', () => (loads += 1));

  await field(page, 'E-mail').fill(owner.email);
  await field(page, 'Senha').fill(owner.password);
  await press(page, 'Entrar');
  await press(page, 'Criar ambiente');
  const activationKey = await addEnvironment(page);
  await stack.startAgent({
    activationKey,
    env: { BATUTA_AGENT_BROWSER: await ensureBrowser(), BATUTA_AGENT_BROWSER_SANDBOX: 'off' },
  });
  await untilShown(page, 'Online');
  await page.getByRole('cell', { name: 'browser' }).waitFor();
  expect(await page.content()).not.toContain(activationKey);

  await addProcess(page);
  await addVariables(page);
  await drawFlow(page);
  const webhook = await addOrigin(page);
  await mapCapture(page, webhook);
  await addSchedule(page);

  const first = await startRun(page);
  await watchRun(page);
  await controlRun(page);
  const second = await runAgain(page, first);

  const runs = [first, second].map((path) => path.split('/').at(-1) ?? '');
  for (const run of runs) expect((await messagesOf(owner, run)).join()).not.toContain('s3cret');
  expect((await statusOf(owner, runs[1] ?? '')).status).toBe('stopped');
  const secrets = [owner.password, activationKey, PIN, OTHER_PIN, ...Object.values(webhook)];
  const kept = s.text().parse(await page.evaluate(READ_STORAGE)) + addresses.join('\n');
  expect(secrets.filter((secret) => kept.includes(secret) || kept.includes(encodeURIComponent(secret)))).toEqual([]);
  expect(loads).toBe(0);
});

/** Returns the activation key, which the page shows once. */
async function addEnvironment(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  await field(dialog, 'Nome').fill(ENVIRONMENT);
  await press(dialog, 'Criar');
  const key = await codeIn(page, 'Chave de ativação');
  await dialog.getByRole('tab', { name: 'Windows (PowerShell)' }).click();
  await dialog.getByText(`$env:BATUTA_AGENT_KEY = '${key}'`).waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await press(dialog, 'Já copiei');
  await heading(page, ENVIRONMENT).waitFor();
  return key;
}

async function addProcess(page: Page): Promise<void> {
  await goTo(page, 'Processos');
  await page.getByRole('button', { name: 'Novo processo' }).first().click();
  const dialog = page.getByRole('dialog');
  await field(dialog, 'Nome').fill(PROCESS);
  await dialog.getByLabel('Ambiente').selectOption({ label: ENVIRONMENT });
  await press(dialog, 'Criar');
  await heading(page, PROCESS).waitFor();
}

async function addVariables(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Matrix' }).click();
  for (const [name, type, value] of [
    ['cliente', 'Texto', 'ninguém'],
    ['total', 'Moeda', 'R$ 1.010,5'],
    ['senha', 'Secreto'],
  ] as const) {
    await page.getByRole('button', { name: 'Nova variável' }).first().click();
    await field(page, 'Nome').last().fill(name);
    await field(page, 'Tipo').last().selectOption(type);
    if (value) await field(page, 'Valor padrão').last().fill(value);
  }
  await page.getByText('R$ 1.010,50').waitFor();
  await press(page, 'Salvar a Matrix');
  await untilNotified(page, 'A Matrix foi salva.');
}

/** Draws steps that compute a value, take a screenshot of a page and wait until somebody stops the run. */
async function drawFlow(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Fluxo' }).click();
  await press(page, 'Adicionar o primeiro passo');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Script/ })
    .click();
  await press(page, 'Adicionar um passo depois de Script');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Página web/ })
    .click();
  await page.getByLabel('Ações 1 Ação').selectOption({ label: 'Tirar uma foto da tela' });
  await press(page, 'Adicionar um passo depois de Página web');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Espera/ })
    .click();
  await field(page, 'Segundos').fill('600');
  await press(page, 'Publicar');
  await page.getByText('A versão 1 foi publicada.').waitFor();
  await untilShown(page, 'Tudo salvo');
}

/** Returns the two URLs of the origin. */
async function addOrigin(page: Page): Promise<{ dev: string; prod: string }> {
  await goTo(page, 'Webhooks');
  await page.getByRole('link', { name: PROCESS }).click();
  await page.getByRole('button', { name: 'Nova origem' }).first().click();
  const dialog = page.getByRole('dialog');
  await field(dialog, 'Nome').fill(`Loja ${HOSTILE}`);
  await press(dialog, 'Criar');
  await heading(page, `Loja ${HOSTILE}`).waitFor();
  return { dev: await codeIn(page, 'URL de desenvolvimento'), prod: await codeIn(page, 'URL de produção') };
}

/** Sends a payload while the page is watched, maps two of its fields by click, and publishes the mapping. */
async function mapCapture(page: Page, { dev }: { dev: string }): Promise<void> {
  await untilShown(page, 'Ainda não chegou nada');
  const payload = JSON.stringify({ pedido: { cliente: HOSTILE, total: '12,5' } });
  expect(
    (await fetch(dev, { method: 'POST', headers: { 'content-type': 'application/json' }, body: payload })).ok,
  ).toBe(true);
  await untilShown(page, '1 captura, ao vivo');
  for (const [name, value] of [
    ['cliente', HOSTILE],
    ['total', 'R$ 12,50'],
  ] as const) {
    await page
      .getByRole('list', { name: 'Payload' })
      .getByRole('button', { name: new RegExp(`^${name} `) })
      .click();
    await press(page, `Colocar o campo aqui: ${name}`);
    await untilShown(page, `/pedido/${name}`);
    const row = page.getByRole('table', { name: 'Prévia' }).getByRole('row', { name: new RegExp(`^${name} `) });
    await row
      .getByText(JSON.stringify(value))
      .or(row.getByText(value, { exact: true }))
      .waitFor();
  }
  expect(await findSeriousViolations(page)).toEqual([]);
  await press(page, 'Salvar o mapeamento');
  await page.getByRole('link', { name: 'Abrir as versões' }).click();
  await page.getByRole('button', { name: 'Publicar' }).first().click();
  await press(page.getByRole('dialog'), 'Publicar');
  await page.getByRole('dialog').getByText('A versão 2 foi publicada').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Fechar' }).last().click();
}

async function addSchedule(page: Page): Promise<void> {
  await goTo(page, 'Agendamentos');
  const openForm = page.getByRole('button', { name: 'Novo agendamento' }).first();
  await openForm.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Processo').selectOption({ label: PROCESS });
  await field(dialog, 'Nome').fill(`Todo dia ${HOSTILE}`);
  await until(
    () => dialog.getByRole('listitem').count(),
    (count) => count === 3,
  );
  expect(await findSeriousViolations(page)).toEqual([]);
  await press(dialog, 'Criar');
  // The dialog that closes gives the focus back to its button, where a key that is pressed at that moment would open it again.
  await openForm.and(page.locator(':focus')).waitFor();
  const activeSwitch = (checked: boolean) =>
    page.getByRole('switch', { name: `Todo dia ${HOSTILE}`, checked, disabled: false });
  // The switch moves only when the answer has arrived.
  await activeSwitch(true).press('Space');
  await activeSwitch(false).press('Space');
  await activeSwitch(true).waitFor();
}

/** Returns the path of the run's page. */
async function startRun(page: Page): Promise<string> {
  await goTo(page, 'Processos');
  await page.getByRole('link', { name: PROCESS }).click();
  await page.getByRole('tab', { name: 'Executar' }).click();
  await field(page, 'cliente').fill(HOSTILE);
  await field(page, 'senha').fill(PIN);
  await press(page, 'Executar agora');
  await page.getByRole('link', { name: 'Acompanhar a execução' }).click();
  await heading(page, `Execução de ${PROCESS}`).waitFor();
  return new URL(page.url()).pathname;
}

async function watchRun(page: Page): Promise<void> {
  await untilShown(page, 'Ao vivo');
  const path = page.getByRole('list', { name: 'Caminho pelo fluxo' });
  await path.getByText('Em andamento').waitFor();
  await until(
    () => path.getByText('Feito').count(),
    (count) => count === 2,
  );
  await page.getByRole('log').getByText('começou').nth(2).waitFor();
  await press(page, 'Ampliar a imagem 1 do passo Página web');
  const picture = page.getByRole('dialog').getByRole('img', { name: 'Imagem 1 do passo Página web' });
  await until(
    () => picture.evaluate((image) => 'naturalWidth' in image && Number(image.naturalWidth)),
    (width) => Number(width) > 0,
  );
  await page.keyboard.press('Escape');
  await page.getByRole('cell', { name: HOSTILE }).waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
}

async function confirm(page: Page, action: string): Promise<void> {
  await press(page, action);
  await press(page.getByRole('dialog'), action);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

async function controlRun(page: Page): Promise<void> {
  await confirm(page, 'Pausar');
  await untilShown(page, 'Pausada');
  await confirm(page, 'Retomar');
  await untilShown(page, 'Em execução');
  await confirm(page, 'Parar');
  await untilShown(page, 'Parada');
  await untilShown(page, 'A execução terminou');
}

/** Returns the path of the new run's page. */
async function runAgain(page: Page, first: string): Promise<string> {
  await press(page, 'Executar de novo');
  const dialog = page.getByRole('dialog');
  expect([await field(dialog, 'cliente').inputValue(), await field(dialog, 'senha').inputValue()]).toEqual([
    HOSTILE,
    '',
  ]);
  await field(dialog, 'cliente').fill('Ana');
  await press(dialog, 'Executar');
  await dialog.getByText('Digite este Secreto de novo.').waitFor();
  await field(dialog, 'senha').and(page.locator(':focus')).waitFor();
  await field(dialog, 'senha').fill(OTHER_PIN);
  await press(dialog, 'Executar');
  await page.waitForURL((url) => url.pathname !== first);
  await page.getByRole('cell', { name: 'Ana' }).waitFor();
  expect(await page.getByRole('link', { name: 'Uma execução anterior' }).getAttribute('href')).toBe(first);
  await confirm(page, 'Parar');
  await untilShown(page, 'A execução terminou');
  return new URL(page.url()).pathname;
}
