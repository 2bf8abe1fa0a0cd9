import { makeOwner } from '../support/tenants/factories';
import * as s from '../../support/shape';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { untilSettled, useWebWorld } from './support/web-world';

const web = useWebWorld();

const processShape = s.object({ processID: s.text() });

test('an empty list has one button that adds an entry', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const { processID } = processShape.parse(await owner.manage('POST', '/processes', { processName: 'Orders' }));
  const tabs = ['keys', 'shares', 'versions', 'matrix', 'webhooks'].map((tab) => `/processes/${processID}/${tab}`);
  const page = await open('/account', { as: owner, language: 'en' });
  for (const path of ['/account', '/environments', '/schedules', '/company/events', ...tabs]) {
    await page.goto(path);
    await untilSettled(page);
    const names = await page.getByRole('main').getByRole('button').allInnerTexts();
    const adding = names.filter((name) => /^(New|Share|Publish)/.test(name));
    expect({ path, repeated: adding.length - new Set(adding).size, hasOne: adding.length > 0 }).toEqual({
      path,
      repeated: 0,
      hasOne: true,
    });
  }
});

test('on a phone a list that its filters leave empty names them, clears them and has the focus', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const { processID } = processShape.parse(await owner.manage('POST', '/processes', { processName: 'Orders' }));
  const draft = { url: 'http://127.0.0.1:2/events', events: ['instance.error'] };
  const { id } = s.object({ id: s.text() }).parse(await owner.manage('POST', '/company/event-subscriptions', draft));
  const page = await open('/account', { as: owner, language: 'en', viewport: 'narrow' });
  for (const [path, names] of [
    ['/runs?status=queued,error&from=2026-01-31', 'Status: Queued, Failed · From: 1/31/26'],
    ['/processes?q=Invoices&state=active', 'Search by name: Invoices · State: Active'],
    [`/schedules?process=${processID}`, 'Process: Orders'],
    ['/company/audit?object=nothing&to=2026-01-31', 'What: nothing · Until: 1/31/26'],
    ['/company?from=2040-01-31', 'From: 1/31/40'],
    [`/company/events/${id}?status=dead`, 'Status of the delivery: Dead'],
  ] as const) {
    await page.goto(path);
    await page.getByText(names, { exact: true }).waitFor();
    await untilSettled(page);
    expect(await findSeriousViolations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.locator('main:focus').waitFor();
    await page.getByText(names, { exact: true }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
  }
});
