import type { Locator, Page } from 'playwright-core';
import * as s from '../../support/shape';
import { openTestStore } from '../support/stack/database';
import { isSignedWith, startEventReceiver, type EventReceiver } from '../support/webhooks/event-receiver';
import { makeOwner, makeProcess, type Owner } from '../support/tenants/factories';
import { instanceOf } from '../support/tenants/instances';
import { until } from '../support/until';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { field, MORE_THAN_A_PAGE, untilNotified, untilSettled, useWebWorld } from './support/web-world';
import { LANGUAGES, VIEWPORTS } from './support/windows';

const web = useWebWorld();

/** A name with a script. If a page shows the name as markup, the script runs, and its error fails the test. */
const HOSTILE = '<img src=x onerror="throw new Error(1)">';

let receiver: EventReceiver;
beforeEach(async () => {
  receiver = await startEventReceiver();
});
afterEach(() => receiver.stop());

const press = (page: Page | Locator, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
const listShape = s.object({ subscriptions: s.list(s.object({ id: s.text(), url: s.text() })) });
const idShape = s.object({ id: s.text() });

/** A script that returns everything that the browser stores for the console's pages and their scripts can read, as text. */
const READ_STORAGE = `(async () => JSON.stringify({ ...localStorage, ...sessionStorage }) +
  JSON.stringify(await indexedDB.databases()) + JSON.stringify(await caches.keys()) + document.cookie)()`;

async function subscribe(owner: Owner, events: string[]): Promise<string> {
  const body = { url: receiver.url, events };
  return idShape.parse(await owner.manage('POST', '/company/event-subscriptions', body)).id;
}

/** Starts an instance without an agent and stops it in the queue, which is an event; returns its id. */
async function stopQueuedInstance(owner: Owner): Promise<string> {
  const process = await makeProcess(web().stack, { owner, processName: HOSTILE });
  const instanceID = instanceOf(await process.start());
  await owner.client.instance(instanceID).stop();
  return instanceID;
}

test('an administrator subscribes an address, keeps the secret that is shown once, and tests it', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const page = await open('/company', { as: owner });
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  page.on('framenavigated', (frame) => addresses.push(frame.url()));
  await page.getByRole('link', { name: 'Eventos' }).click();
  await page.getByText('Nenhum endereço recebe eventos').waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Nova assinatura' }).first().press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Erro', { exact: true }).press('Space');
  await press(dialog, 'Criar');
  await dialog.getByText('Informe um endereço que comece com https://').waitFor();
  await dialog.getByText('Escolha pelo menos um.').waitFor();
  await field(dialog, 'Endereço').fill('https://10.0.0.1/events');
  await dialog.getByLabel('Parada', { exact: true }).press('Space');
  await press(dialog, 'Criar');
  await dialog.getByText(/^Endereço: o Batuta não se conecta a 10\.0\.0\.1/).waitFor();
  await dialog.getByText(/^Id da requisição: /).waitFor();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await findSeriousViolations(page)).toEqual([]);
  }
  await field(dialog, 'Endereço').fill(receiver.url);
  await field(dialog, 'Endereço').press('Enter');

  const secret = (await page.getByLabel('Segredo', { exact: true }).textContent()) ?? '';
  expect(secret).toMatch(/^whsec_/);
  expect(await page.getByLabel('Verificação', { exact: true }).first().textContent()).toContain('createHmac');
  await page.getByRole('tab', { name: 'Python' }).click();
  await page.getByText('import base64, hashlib').waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await press(page, 'Guardei o segredo');
  await page.getByRole('heading', { level: 1, name: /^Eventos para 127\.0\.0\.1/ }).waitFor();

  await press(page, 'Enviar um teste');
  await page.getByText('O endereço aceitou o teste').waitFor();
  expect(receiver.events.map((event) => isSignedWith(secret, event))).toEqual([true]);
  receiver.status = 500;
  await press(page, 'Enviar um teste');
  await page.getByText('O endereço não aceitou o teste').waitFor();
  await page.getByText(/^Status 500 depois de/).waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);

  await press(page, 'Novo segredo');
  await press(page.getByRole('dialog'), 'Substituir');
  const rotated = (await page.getByLabel('Segredo', { exact: true }).textContent()) ?? '';
  await press(page, 'Guardei o segredo');
  await press(page, 'Enviar um teste');
  await until(
    async () => receiver.events.length,
    (count) => count === 3,
  );
  expect(rotated).toMatch(/^whsec_/);
  expect([rotated === secret, receiver.events.map((event) => isSignedWith(rotated, event)).at(-1)]).toEqual([
    false,
    true,
  ]);
  const kept = [await page.content(), String(await page.evaluate(READ_STORAGE)), ...addresses].join('\n');
  for (const one of [secret, rotated, encodeURIComponent(secret), encodeURIComponent(rotated)]) {
    expect(kept).not.toContain(one);
  }
});

test('a subscription that Batuta switched off says why, and its dead delivery is sent again once it is on', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const id = await subscribe(owner, ['instance.stopped']);
  receiver.status = 410;
  const instanceID = await stopQueuedInstance(owner);
  const shape = s.object({ dead: s.number });
  await until(
    async () => shape.parse(await owner.manage('GET', `/company/event-subscriptions/${id}`)).dead,
    (dead) => dead === 1,
  );
  const page = await open('/company/events', { as: owner });
  await page.getByText('Desligada pelo Batuta: o endereço respondeu 410').waitFor();
  await page.getByRole('link', { name: receiver.url }).click();
  await page.getByText('Ligue a assinatura para enviar de novo as entregas sem sucesso.').waitFor();
  const again = page.getByRole('button', { name: `Enviar de novo: ${instanceID}` });
  expect(await again.isDisabled()).toBe(true);
  await page.getByLabel('Situação da entrega').selectOption('dead');
  await page.waitForURL((url) => url.searchParams.get('status') === 'dead');
  expect(await findSeriousViolations(page)).toEqual([]);

  receiver.status = 204;
  await page.getByLabel('Ligada: os eventos são enviados').press('Space');
  await page.getByText('Ligada', { exact: true }).waitFor();
  const asked: string[] = [];
  let release: () => void = () => undefined;
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/redeliver', async (route) => {
    asked.push(route.request().url());
    await isReleased;
    await route.continue();
  });
  await again.click();
  await until(
    async () => asked.length,
    (count) => count === 1,
  );
  await again.click();
  release();
  await untilNotified(page, '1 entrega será enviada de novo.');
  expect(asked).toHaveLength(1);
  await until(
    async () => receiver.events.length,
    (count) => count === 2,
  );
  await page.getByLabel('Situação da entrega').selectOption('delivered');
  await until(
    async () => {
      await press(page, 'Atualizar');
      return page.getByRole('row').filter({ hasText: 'Entregue' }).count();
    },
    (count) => count === 1,
  );
  const [first, second] = receiver.events;
  expect([first?.body, first?.headers['webhook-id']]).toEqual([second?.body, second?.headers['webhook-id']]);
});

test('the delivery of an event of a schedule, which has no run, leads to none', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const id = await subscribe(owner, ['schedule.skipped', 'instance.error']);
  const { processID } = await makeProcess(stack, { owner });
  const store = await openTestStore(stack.env.DATABASE_URL ?? '');
  for (const event of ['schedule.skipped', 'instance.error']) {
    await store.write(
      `INSERT INTO event_delivery (subscription_id, instance_id, company_id, process_id, event, payload, status, created_at)
       SELECT subscription_id, UUID(), company_id, ?, ?, '{}', 'delivered', UTC_TIMESTAMP(3)
         FROM event_subscription WHERE subscription_id = ?`,
      [processID, event, id],
    );
  }
  await store.close();
  const page = await open(`/company/events/${id}`, { as: owner });
  const linksOf = (event: string) => page.getByRole('row').filter({ hasText: event }).getByRole('link').count();
  await page.getByRole('row').filter({ hasText: 'Agendamento pulado' }).waitFor();
  expect([await linksOf('Agendamento pulado'), await linksOf('Erro')]).toEqual([0, 1]);
});

test('deliveries are read page by page, filtered by the status in the URL of the page, and sent again all together', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const id = await subscribe(owner, ['instance.error']);
  // The process exists, because the deliveries of a process that does not exist would be deleted.
  const { processID } = await makeProcess(stack, { owner });
  const store = await openTestStore(stack.env.DATABASE_URL ?? '');
  await store.write(
    `INSERT INTO event_delivery (subscription_id, instance_id, company_id, process_id, event, payload, status, attempts, last_status,
       last_error, created_at, settled_at)
     SELECT subscription_id, UUID(), company_id, ?, 'instance.error', '{}', 'dead', 10, 500, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)
       FROM event_subscription JOIN seq_1_to_${MORE_THAN_A_PAGE} WHERE subscription_id = ?`,
    [processID, HOSTILE, id],
  );
  await store.close();
  const page = await open(`/company/events/${id}?status=dead`, { as: owner, language: 'en' });
  const rows = page.getByRole('row').filter({ hasText: HOSTILE });
  await rows.first().waitFor();
  expect(await rows.count()).toBe(100);
  await press(page, 'Load more');
  await rows.nth(MORE_THAN_A_PAGE - 1).waitFor();
  for (const [index, language] of LANGUAGES.entries()) {
    await page.getByRole('combobox', { name: /Idioma|Language/ }).selectOption(language);
    await page.setViewportSize(VIEWPORTS[index === 0 ? 'narrow' : 'wide']);
    await page.locator(`html[lang="${language}"]`).waitFor();
    await untilSettled(page);
    expect(await findSeriousViolations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
  }
  await page.getByLabel('Status of the delivery').selectOption('waiting');
  await page.getByText('No delivery has this status').waitFor();
  await press(page, 'Send all dead ones again');
  await press(page.getByRole('dialog'), 'Send all');
  await untilNotified(page, `${MORE_THAN_A_PAGE} deliveries are sent again.`);
  await until(
    async () => new Set(receiver.events.map(({ headers }) => headers['webhook-id'])).size,
    (count) => count === MORE_THAN_A_PAGE,
  );
});

test('a subscription is changed to a process that a colleague has not shared, and removed; one of another company does not exist', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const colleague = await makeOwner(stack, { company: owner.company, name: 'Bia' });
  const process = await makeProcess(stack, { owner: colleague, processName: HOSTILE });
  const id = await subscribe(owner, ['instance.error']);
  const page = await open(`/company/events/${id}`, { as: owner });
  await press(page, 'Editar');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Processo').selectOption({ label: `${HOSTILE} · Bia` });
  await dialog.getByLabel('Sucesso', { exact: true }).check();
  await press(dialog, 'Salvar');
  await untilNotified(page, 'A assinatura foi alterada.');
  await page.getByText(`Sucesso, Erro · ${HOSTILE}`).waitFor();
  expect(await owner.manage('GET', `/company/event-subscriptions/${id}`)).toMatchObject({
    events: ['instance.success', 'instance.error'],
    processID: process.processID,
  });

  const stranger = await makeOwner(stack, { role: 'administrator' });
  const other = await open(`/company/events/${id}`, { as: stranger });
  await other.getByText('Esta assinatura não existe mais').waitFor();

  await press(page, 'Excluir');
  await press(page.getByRole('dialog'), 'Excluir');
  await page.getByText('Nenhum endereço recebe eventos').waitFor();
  expect(listShape.parse(await owner.manage('GET', '/company/event-subscriptions')).subscriptions).toEqual([]);
});
