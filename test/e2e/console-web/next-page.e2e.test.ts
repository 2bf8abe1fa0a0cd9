import type { Page } from 'playwright-core';
import { makeOwner, makeProcess } from '../support/tenants/factories';
import * as s from '../../support/shape';
import { openManyShares } from './support/many-shares';
import { press } from './support/refusals';
import { MORE_THAN_A_PAGE, untilSettled, useWebWorld } from './support/web-world';

const web = useWebWorld();

const REFUSAL = { status: 500, json: { error: { code: 'INTERNAL', message: 'Internal error.' } } };

/** The list of many shares after one was ended, when the list could not be read again. */
async function openSharesNotReadAgain() {
  const { page, rows } = await openManyShares(web());
  const alert = alertOn(page);
  await page.route(/\/shares\?(?!.*before=)/, (route) => route.fulfill(REFUSAL), { times: 1 });
  await press(page, `End: person-${MORE_THAN_A_PAGE}@example.com`);
  await press(page.getByRole('dialog'), 'End');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await alert.waitFor();
  return { page, rows, alert };
}

test('a next page that cannot be read is explained below the list, at the button that reads it again', async () => {
  const { page, rows } = await openManyShares(web());
  const alert = alertOn(page);
  await page.route(/\/shares\?.*before=/, (route) => route.fulfill(REFUSAL), { times: 1 });
  await press(page, 'Load more');
  await alert.waitFor();
  expect(await topOf(page, '[role="alert"]')).toBeGreaterThan(await topOf(page, 'tbody tr:last-child'));
  expect(await page.getByRole('button', { name: 'Try again', exact: true }).count()).toBe(0);
  await press(page, 'Load more');
  await rows.nth(MORE_THAN_A_PAGE).waitFor();
  expect(await alert.count()).toBe(0);
});

test('a list that cannot be read again is explained above it, also while its next page is read', async () => {
  const { page, rows, alert } = await openSharesNotReadAgain();
  const { promise: isChecked, resolve: answer } = Promise.withResolvers<void>();
  await page.route(/\/shares\?.*before=/, (route) => isChecked.then(() => route.continue()));
  await press(page, 'Load more');
  await page.locator('button[data-loading]').filter({ hasText: 'Load more' }).waitFor();
  expect(await topOf(page, '[role="alert"]')).toBeLessThan(await topOf(page, 'tbody tr:first-child'));
  answer();
  await rows.nth(MORE_THAN_A_PAGE - 1).waitFor();
  await alert.waitFor({ state: 'detached' });
  expect(await rows.count()).toBeGreaterThan(101);
});

test('a list that cannot be read again is explained above it, also while its next page waits for the connection', async () => {
  const { page, rows, alert } = await openSharesNotReadAgain();
  await page.context().setOffline(true);
  await press(page, 'Load more');
  await page.getByText('No connection').waitFor();
  await page.locator('button[data-loading]').waitFor({ state: 'detached' });
  expect(await topOf(page, '.mantine-Alert-root[role="alert"]')).toBeLessThan(
    await topOf(page, 'tbody tr:first-child'),
  );
  expect(await alert.count()).toBe(1);
  await page.context().setOffline(false);
  await rows.nth(MORE_THAN_A_PAGE - 1).waitFor();
  await alert.waitFor({ state: 'detached' });
  expect(await page.getByText('No connection').count()).toBe(0);
});

test('a filter that cannot read the next page asks for it again only when the user wants it', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  await makeProcess(stack, { owner, processName: 'Orders' });
  const list = s.object({ processes: s.list(s.object({ processName: s.text() }), 1) });
  const [process] = list.parse(await owner.manage('GET', '/processes')).processes;
  const page = await open('/account', { as: owner, language: 'en' });
  await untilSettled(page);
  const processes = Array.from({ length: 500 }, (_, index) => ({ ...process, processID: `process-${index}` }));
  const answers = [REFUSAL, { json: { processes: [] } }];
  let asked = 0;
  await page.route(/\/manage\/v1\/processes\?/, (route) => {
    if (!route.request().url().includes('before=')) return route.fulfill({ json: { processes } });
    asked += 1;
    return route.fulfill(answers[asked - 1] ?? REFUSAL);
  });
  await page.goto('/processes?q=Invoices');
  await page.getByText('The console has a fault.').waitFor();
  await press(page, 'Load more');
  await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' });
  await page.getByText('No process fits the search.').waitFor();
  expect(asked).toBe(2);
});

/** The explanation of REFUSAL on the page. */
const alertOn = (page: Page) => page.getByRole('alert').filter({ hasText: 'The console has a fault.' });

/** The distance of the first element that fits the selector from the top of the window. */
async function topOf(page: Page, selector: string): Promise<number> {
  return Number(await page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().top`));
}
