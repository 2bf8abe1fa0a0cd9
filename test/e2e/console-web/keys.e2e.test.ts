import type { Page } from 'playwright-core';
import * as s from '../../support/shape';
import {
  callAsOperator,
  EMPTY_FLOW,
  makeEnvironment,
  makeOwner,
  makeProcess,
  publish,
} from '../support/tenants/factories';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { press } from './support/refusals';
import { field, untilSettled, useWebWorld } from './support/web-world';

const web = useWebWorld();

test('no link beside a secret that is shown once leaves its page', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  const page = await open('/account', { as: owner, language: 'en' });
  const dialog = page.getByRole('dialog');
  for (const [path, add, label, hint] of [
    ['/account', 'New credential', 'Label', 'on the tab Keys of your processes'],
    [`/processes/${processID}/keys`, 'New key', 'Identifier', 'credential of your account'],
  ] as const) {
    await page.goto(path);
    await press(page, add);
    await field(dialog, label).fill('ERP');
    await press(dialog, 'Create');
    await dialog.getByText(hint, { exact: false }).waitFor();
    expect(await dialog.locator('a:not([target="_blank"])').allInnerTexts()).toEqual([]);
  }
});

test('the page of the keys of a process says what beside its own settings refuses its calls, and when accepted ones wait in the queue', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const guest = await makeOwner(stack);
  const environment = await makeEnvironment(stack, { owner, name: 'Robots', offlineFlow: false });
  const { processID } = await makeProcess(stack, { owner, environment });
  const path = `/processes/${processID}`;
  const share = { execute: true, edit: false, schedule: false, api: true, share: false, delete: false };
  await owner.manage('PUT', `${path}/shares/${encodeURIComponent(guest.email)}`, share);
  await callAsOperator(stack, 'PATCH', `/plans/${owner.company.planID}`, { apiAccess: false });
  await callAsOperator(stack, 'PATCH', `/companies/${owner.company.companyID}`, { credits: 0 });
  const refusalNotices = (at: Page) => at.getByRole('status').filter({ hasText: 'Calls are refused now' });
  const page = await open(`${path}/keys`, { as: owner, language: 'en', viewport: 'narrow' });
  await refusalNotices(page).getByText('The plan of the owner', { exact: false }).waitFor();
  await refusalNotices(page).getByText('has no credits left', { exact: false }).waitFor();
  await refusalNotices(page).getByText('No agent of the environment Robots is online', { exact: false }).waitFor();
  expect(await refusalNotices(page).getByRole('link').allInnerTexts()).toEqual(['Open the environment']);
  await untilSettled(page);
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
  // A start over the API needs the plan of its caller.
  const theirs = await open(`${path}/keys`, { as: guest, language: 'en' });
  await refusalNotices(theirs).getByText('has no credits left', { exact: false }).waitFor();
  await refusalNotices(theirs).getByText('Ask the owner of the process to change that.').waitFor();
  expect(await refusalNotices(theirs).getByText('The plan of the owner', { exact: false }).count()).toBe(0);

  await callAsOperator(stack, 'PATCH', `/plans/${owner.company.planID}`, { apiAccess: true });
  await callAsOperator(stack, 'PATCH', `/companies/${owner.company.companyID}`, { credits: 10 });
  await owner.manage('PATCH', `/environments/${environment.environmentID}`, { offlineFlow: true });
  await page.reload();
  const queued = page.getByRole('status').filter({ hasText: 'Calls are accepted and wait in the queue now' });
  await queued.getByText('No agent of the environment Robots is online.').waitFor();

  await callAsOperator(stack, 'PATCH', `/companies/${owner.company.companyID}`, { suspended: true });
  await theirs.reload();
  await refusalNotices(theirs).getByText('the company of the owner is suspended', { exact: false }).waitFor();
  expect(await refusalNotices(theirs).getByRole('link').count()).toBe(0);
  expect(await refusalNotices(theirs).getByText('Ask the owner of the process to change that.').count()).toBe(0);
});

test('the page of the keys of a process says which of its own settings refuse its starts over the API, with links for those who may change them', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const guest = await makeOwner(stack, { company: owner.company });
  const { environmentID } = await makeEnvironment(stack, { owner });
  const made = await owner.manage('POST', '/processes', { processName: 'Orders' });
  const { processID } = s.object({ processID: s.text() }).parse(made);
  const path = `/processes/${processID}`;
  const share = { execute: false, edit: false, schedule: false, api: true, share: false, delete: false };
  await owner.manage('PUT', `${path}/shares/${encodeURIComponent(guest.email)}`, share);
  await owner.manage('PATCH', path, { active: false });
  const refusalNotices = (at: Page) => at.getByRole('status').filter({ hasText: 'Calls are refused now' });
  const theirs = await open(`${path}/keys`, { as: guest, language: 'en' });
  await refusalNotices(theirs).getByText('Ask the owner of the process to change that.').waitFor();
  expect(await refusalNotices(theirs).getByRole('listitem').allInnerTexts()).toEqual([
    'The process is switched off.',
    'No version is published yet.',
    'API access is blocked, also for webhooks.',
    'The process has no environment, and only a start over the API can name one.',
  ]);
  expect(await refusalNotices(theirs).getByRole('link').count()).toBe(0);
  const page = await open(`${path}/keys`, { as: owner, language: 'en', viewport: 'narrow' });
  await refusalNotices(page).waitFor();
  expect(await refusalNotices(page).getByRole('link').allInnerTexts()).toEqual([
    'Switch it on in the overview',
    'Open the versions',
    'Allow it in the overview',
    'Choose one in the overview',
  ]);
  await untilSettled(page);
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
  await page.getByRole('link', { name: 'Allow it in the overview' }).click();
  await page.getByRole('switch', { name: 'Starts over the API are allowed', disabled: false }).press('Space');
  await page.getByRole('switch', { name: 'Starts over the API are allowed', checked: true }).waitFor();
  await owner.manage('PATCH', path, { active: true, environmentID });
  await publish(owner, processID, EMPTY_FLOW);
  await page.goto(`${path}/keys`);
  await page.getByRole('status').filter({ hasText: 'Calls are accepted and wait in the queue now' }).waitFor();
});

test('a secret that takes the place of its form has the focus on the button that copies it', async () => {
  const { open, owner } = web();
  const page = await open('/account', { as: owner, language: 'en' });
  await press(page, 'New credential');
  const dialog = page.getByRole('dialog');
  await field(dialog, 'Label').fill('ERP');
  await dialog.getByRole('button', { name: 'Create' }).press('Enter');
  const copy = dialog.getByRole('button', { name: 'Copy: Credential' });
  await copy.and(page.locator(':focus')).waitFor();
  expect(await copy.count()).toBe(1);
});
