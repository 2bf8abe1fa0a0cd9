import type { Page } from 'playwright-core';
import * as s from '../../support/shape';
import { until } from '../support/until';
import { makeOrigin, sendEvent } from '../support/webhooks/webhooks';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { untilSettled, takePictures, useWebWorld, type WebWorld } from './support/web-world';
import { VIEWPORTS } from './support/windows';

const web = useWebWorld();

/** By screen, the path at which the owner of the test's process sees it; a new screen gets a line here. */
const SCREENS: Record<string, (world: WebWorld) => string> = {
  home: () => '/',
  processes: () => '/processes',
  'process-overview': ({ process }) => `/processes/${process.processID}`,
  'process-matrix': ({ process }) => `/processes/${process.processID}/matrix`,
  'process-flow': ({ process }) => `/processes/${process.processID}/flow`,
  'process-versions': ({ process }) => `/processes/${process.processID}/versions`,
  'process-version': ({ process }) => `/processes/${process.processID}/versions/1`,
  'process-keys': ({ process }) => `/processes/${process.processID}/keys`,
  'process-shares': ({ process }) => `/processes/${process.processID}/shares`,
  'process-webhooks': ({ process }) => `/processes/${process.processID}/webhooks`,
  'webhook-origin': ({ process }) => `/processes/${process.processID}/webhooks/${originID}`,
  'process-run': ({ process }) => `/processes/${process.processID}/run`,
  'process-history': ({ process }) => `/processes/${process.processID}/history`,
  runs: () => '/runs',
  webhooks: () => '/webhooks',
  schedules: () => '/schedules',
  environments: () => '/environments',
  environment: ({ process }) => `/environments/${process.environment.environmentID}`,
  account: () => '/account',
  company: () => '/company',
  'company-audit': () => '/company/audit',
  'company-events': () => '/company/events',
  'company-event-subscription': () => `/company/events/${subscriptionID}`,
  'not-found': () => '/nothing/is/here',
};

const UNKNOWN_ID = '01920000-0000-7000-8000-00000000dead';

/** One page opens all screens, because each new page would compile all scripts again. */
let page: Page;
let subscriptionID: string;
let originID: string;
beforeAll(async () => {
  const draft = { url: 'http://127.0.0.1:2/pedidos/eventos', events: ['instance.error', 'instance.stopped'] };
  const made = await web().owner.manage('POST', '/company/event-subscriptions', draft);
  subscriptionID = s.object({ id: s.text() }).parse(made).id;
  const origin = await makeOrigin(web().process, { name: 'Loja' });
  await sendEvent(origin.devUrl, { pedido: { cliente: 'Ana', total: '12,50' } });
  originID = origin.id;
  page = await web().open('/', { as: web().owner });
});

test.each(Object.entries(SCREENS))(
  'the screen %s has no serious violation and fits a phone and a desktop',
  async (name, pathOf) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(VIEWPORTS.wide);
    await page.goto(pathOf(web()));
    await untilSettled(page);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await findSeriousViolations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await takePictures(page, name);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize(VIEWPORTS.narrow);
    await untilSettled(page);
    expect(await findSeriousViolations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
  },
);

test.each([
  ['/runs/123', 'Execuções'],
  [`/runs/${UNKNOWN_ID}`, 'Execuções'],
  ['/processes/123', 'Processos'],
  [`/processes/${UNKNOWN_ID}/run`, 'Processos'],
  [`/processes/${UNKNOWN_ID}/flow`, 'Processos'],
  [`/processes/${UNKNOWN_ID}/webhooks`, 'Processos'],
  [`/processes/123/webhooks/${UNKNOWN_ID}`, 'Processos'],
  [`/processes/${UNKNOWN_ID}/webhooks/${UNKNOWN_ID}`, 'Processos'],
  [`/schedules/${UNKNOWN_ID}`, 'Agendamentos'],
  [`/environments/${UNKNOWN_ID}`, 'Ambientes'],
])('the page %s of a resource that does not exist says so and leads to the list %s', async (path, list) => {
  await page.goto(path);
  await page.getByRole('heading', { level: 1, name: list, exact: true }).waitFor();
  await until(
    () => page.title(),
    (title) => title === `${list} · Batuta`,
  );
  expect(await page.getByRole('button', { name: 'Tentar de novo' }).count()).toBe(0);
  expect(await findSeriousViolations(page)).toEqual([]);
  await page.getByRole('main').getByRole('link', { name: list, exact: true }).click();
  await page.waitForURL(new RegExp(`${path.replace(/^(\/\w+).*/, '$1')}$`));
});

test.each([
  ['/processes', 'Emissão de notas'],
  ['/environments', 'Robôs do financeiro'],
  ['/company', 'Ana Souza'],
  ['/webhooks', 'Emissão de notas'],
])('each row of the list %s has a header that names it to a screen reader', async (path, name) => {
  await page.setViewportSize(VIEWPORTS.wide);
  await page.goto(path);
  await page.getByRole('rowheader', { name }).first().waitFor();
  await untilSettled(page);
  const rows = page.locator('main tbody tr');
  expect(await rows.count()).toBeGreaterThan(0);
  expect(await rows.filter({ has: page.locator('th[scope="row"]') }).count()).toBe(await rows.count());
});

test('the screens of the operator have no serious violation', async () => {
  const world = web();
  const operator = await world.open('/operator', { as: world.stack.operator });
  await untilSettled(operator);
  expect(await findSeriousViolations(operator)).toEqual([]);
  await takePictures(operator, 'operator');
});
