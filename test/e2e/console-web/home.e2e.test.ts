import { makeEnvironment, makeOwner, makeProcess } from '../support/tenants/factories';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { untilSettled, useWebWorld } from './support/web-world';

const web = useWebWorld();

test('the numbers of an environment on the home page lead to its runs with this status', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const environment = await makeEnvironment(stack, { owner, name: 'Robots' });
  await (await makeProcess(stack, { owner, environment, processName: 'Orders' })).start();
  await (await makeProcess(stack, { owner, processName: 'Invoices' })).start();
  const page = await open('/', { as: owner, language: 'en' });
  const running = page.getByRole('link', { name: 'Running: 0, Robots', exact: true });
  const filter = `environment=${environment.environmentID}`;
  expect(await running.getAttribute('href')).toBe(`/runs?${filter}&status=running%2Cunknown`);
  await untilSettled(page);
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
  await page.getByRole('link', { name: 'Queued: 1, Robots', exact: true }).click();
  await page.waitForURL(`**/runs?${filter}&status=queued`);
  await page.getByRole('table', { name: 'Runs' }).getByText('Orders').waitFor();
  expect(await page.getByRole('table', { name: 'Runs' }).getByText('Invoices').count()).toBe(0);
});

test('the home page says that no run of the period of its charts has ended', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  await (await makeProcess(stack, { owner })).start();
  const page = await open('/', { as: owner, language: 'en' });
  await page.getByText('No run that began in this period has ended. Debug runs are not counted.').waitFor();
  expect(await page.getByText('See the figures in a table').count()).toBe(1);
});

test('an environment without an agent looks the same on the home page and in the list of environments', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  await (await makeProcess(stack, { owner })).start();
  const page = await open('/', { as: owner, language: 'en' });
  const readOfflineBadgeStyle = () =>
    page.locator('.mantine-Badge-root', { hasText: /^Offline$/ }).getAttribute('style');
  const atHome = await readOfflineBadgeStyle();
  await page.getByRole('link', { name: 'Environments', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Environments', level: 1 }).waitFor();
  expect(await readOfflineBadgeStyle()).toBe(atHome);
});
