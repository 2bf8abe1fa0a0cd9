import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { openTestStore } from '../support/stack/database';
import { makeEnvironment, makeOwner, makeProcess } from '../support/tenants/factories';
import { press } from './support/refusals';
import { field, untilNotified, useWebWorld } from './support/web-world';

const web = useWebWorld();

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
/** Clicks outside of a dialog, on the shade that covers the page. */
const pressBeside = (page: Page) => page.mouse.click(5, 5);
const MORE_THAN_A_PAGE = 130;
const SECRET = 'a value of the vault';
const FLOW = { start: 'A', steps: [{ name: 'A', type: 'variables' as const }] };

/** The names of the files in a tarball, whose entries are blocks of 512 bytes that begin with the name. */
async function filesOfTarball(url: string): Promise<string[]> {
  const tar = gunzipSync(await (await fetch(url)).arrayBuffer());
  const names: string[] = [];
  for (let at = 0; at < tar.length && tar[at] !== 0;) {
    names.push(tar.toString('utf8', at, tar.indexOf(0, at)));
    const size = Number.parseInt(tar.toString('utf8', at + 124, at + 135), 8);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return names;
}

test('an administrator shares an environment with the company, and a new activation key is shown once', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const colleague = await makeOwner(stack, { company: owner.company });
  const { environmentID, activationKey } = await makeEnvironment(stack, { owner, name: 'Plant' });
  const theirs = await open('/environments', { as: colleague, language: 'en' });
  await theirs.getByText('There is no environment yet').waitFor();
  const page = await open(`/environments/${environmentID}`, { as: owner, language: 'en' });
  const share = { name: 'Everybody in the company may use this environment' };
  await page.getByRole('switch', { ...share, disabled: false }).press('Space');
  await page.getByRole('switch', { ...share, checked: true, disabled: false }).waitFor();
  await theirs.reload();
  await row(theirs, 'Plant').getByText('Company').waitFor();
  await theirs.getByRole('link', { name: 'Plant' }).click();
  await theirs.getByText('No agent is online').waitFor();
  await theirs.getByText('New starts wait in the queue until an agent connects.', { exact: false }).waitFor();
  const queued = theirs.getByRole('link', { name: 'See your queued runs' });
  expect(await queued.getAttribute('href')).toBe(`/runs?environment=${environmentID}&status=queued`);
  const runs = theirs.getByRole('link', { name: 'See the runs' });
  expect(await runs.getAttribute('href')).toBe(`/runs?environment=${environmentID}`);
  expect(await theirs.getByRole('button', { name: 'Edit' }).count()).toBe(0);

  await press(page, 'New activation key');
  await press(page.getByRole('dialog'), 'New activation key');
  const key = (await page.getByLabel('Activation key', { exact: true }).last().textContent()) ?? '';
  expect([key.length > 20, key === activationKey]).toEqual([true, false]);
  await page.getByRole('tab', { name: 'Docker' }).click();
  const command = page.getByText(`'BATUTA_AGENT_KEY=${key}'`);
  await command.waitFor();
  const [, url = ''] = /npx --yes '(.+?)'/.exec((await command.textContent()) ?? '') ?? [];
  expect(await filesOfTarball(url)).toContain('package/bin/batuta-agent.js');
  await press(page, 'I have copied it');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(key);

  await press(page, 'Delete');
  await page.getByText('start nothing until they have another environment', { exact: false }).waitFor();
  await press(page.getByRole('dialog'), 'Delete');
  await page.getByText('There is no environment yet').waitFor();
});

test('a credential is shown once and works until it is revoked; a secret of the vault is written, chosen and deleted', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  const page = await open('/account', { as: owner, language: 'en' });
  const dialog = page.getByRole('dialog');
  await press(page, 'New credential');
  await field(dialog, 'Label').fill('ERP');
  await press(dialog, 'Create');
  const value = (await dialog.getByLabel('Credential', { exact: true }).last().textContent()) ?? '';
  const call = async () =>
    (await fetch(`${stack.gateway}/v1/me`, { headers: { authorization: `Bearer ${value}` } })).status;
  expect(await call()).toBe(200);
  await press(dialog, 'Close');
  await dialog.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(value);
  await row(page, 'ERP').getByText('Never', { exact: true }).waitFor();
  await press(page, 'Revoke: ERP');
  await press(dialog, 'Revoke');
  await row(page, 'ERP').getByText('Revoked').waitFor();
  expect(await call()).toBe(401);

  await page.getByRole('button', { name: 'New secret' }).first().click();
  await field(dialog, 'Name').fill('ERP_TOKEN');
  await field(dialog, 'Value').fill(SECRET);
  await press(dialog, 'Keep it');
  await page.getByRole('cell', { name: '{vault.ERP_TOKEN}' }).waitFor();
  await page.getByRole('button', { name: 'New secret' }).first().click();
  await field(dialog, 'Name').fill('ERP_TOKEN');
  await field(dialog, 'Value').fill('another value');
  await press(dialog, 'Keep it');
  await dialog.getByText('The vault has a secret with this name.', { exact: false }).waitFor();
  await press(dialog, 'Cancel');
  await page.goto(`/processes/${processID}`);
  await page.getByLabel('Secrets that the process may use').first().click();
  await page.getByRole('option', { name: 'ERP_TOKEN' }).click();
  await page.keyboard.press('Escape');
  await press(page, 'Save');
  await untilNotified(page, 'The allowed secrets have been saved.');
  expect(await owner.manage('GET', `/processes/${processID}/vault-keys`)).toEqual({ keys: ['ERP_TOKEN'] });
  await page.goto('/account');
  await press(page, 'Replace: ERP_TOKEN');
  expect(await field(dialog, 'Value').inputValue()).toBe('');
  await page.keyboard.press('Escape');
  await press(page, 'Delete: ERP_TOKEN');
  await press(dialog, 'Delete');
  await page.getByText('The vault is empty').waitFor();
  await page.goto(`/processes/${processID}`);
  await page.getByText('Your vault does not have ERP_TOKEN. Runs that read it fail.').waitFor();
  expect(await page.content()).not.toContain(SECRET);
});

test('sharing again with the same person changes nothing, and says that the share is changed in the list', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const guest = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  const path = `/processes/${processID}/shares/${encodeURIComponent(guest.email)}`;
  const permissions = { execute: false, edit: true, schedule: true, api: false, share: false, delete: false };
  await owner.manage('PUT', path, permissions);
  const page = await open(`/processes/${processID}/shares`, { as: owner, language: 'en' });
  await press(page, 'Share');
  const dialog = page.getByRole('dialog');
  const email = field(dialog, 'E-mail');
  await email.fill(` ${guest.email.toUpperCase()}`);
  await press(dialog, 'Share');
  await dialog.getByText('This person has access already: change it in the list.').waitFor();
  await email.and(page.locator('[aria-invalid=true]:focus')).waitFor();
  expect(await owner.manage('GET', path)).toMatchObject({ permissions });
});

test('a share grants each of the six permissions, and its person sees the parts that they open', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const guest = await makeOwner(stack, { company: owner.company, name: 'Bia' });
  const { processID } = await makeProcess(stack, { owner, processName: 'Orders' });
  const page = await open(`/processes/${processID}/shares`, { as: owner, language: 'en' });
  const dialog = page.getByRole('dialog');
  await page.getByText('Only the owner uses this process').waitFor();
  await page.getByRole('button', { name: 'Share', exact: true }).first().click();
  await field(dialog, 'E-mail').fill(guest.email);
  const names = ['Run', 'Edit', 'Schedule', 'API', 'Share', 'Delete'];
  await pressBeside(page);
  for (const name of names) await dialog.getByRole('checkbox', { name, exact: true }).check();
  await press(dialog, 'Share');
  for (const name of names) await row(page, 'Bia').getByText(name, { exact: true }).waitFor();
  const theirs = await open(`/processes/${processID}/run`, { as: guest, language: 'en' });
  await theirs.getByRole('button', { name: 'Run now' }).waitFor();

  await press(page, `Change: ${guest.email}`);
  await dialog.getByRole('checkbox', { name: 'Run', exact: true }).uncheck();
  // Another window revokes a permission that this form still shows as granted.
  const path = `/processes/${processID}/shares/${encodeURIComponent(guest.email)}`;
  const all = { execute: true, edit: true, schedule: true, api: true, share: true, delete: true };
  await owner.manage('PUT', path, { ...all, delete: false });
  await press(dialog, 'Save');
  await dialog.waitFor({ state: 'detached' });
  expect(await owner.manage('GET', `/processes/${processID}/shares`)).toMatchObject({
    shares: [{ permissions: { ...all, delete: false, execute: false } }],
  });
  await theirs.reload();
  await theirs.getByText('This part is not shared with you').waitFor();
  await owner.manage('PUT', path, { ...all, edit: false });
  await theirs.goto(`/processes/${processID}/flow`);
  await theirs.getByText('Ask the owner of the process for the permission “Edit”.').waitFor();
  await theirs.getByRole('main').getByRole('link', { name: 'Orders', exact: true }).click();
  await theirs
    .getByRole('button', { name: 'Run now' })
    .or(theirs.getByRole('link', { name: 'Run now' }))
    .first()
    .waitFor();
  await press(page, `End: ${guest.email}`);
  await press(dialog, 'End');
  await page.getByText('Only the owner uses this process').waitFor();
  await theirs.reload();
  await theirs.getByText('This process does not exist, was deleted, or is no longer shared with you.').waitFor();
});

test('the overview of a process says whether it has no environment, or one that the account does not reach', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const guest = await makeOwner(stack, { company: owner.company });
  const { processID } = await makeProcess(stack, { owner });
  const path = `/processes/${processID}`;
  const share = { execute: true, edit: false, schedule: false, api: false, share: false, delete: false };
  await owner.manage('PUT', `${path}/shares/${encodeURIComponent(guest.email)}`, share);
  const page = await open(path, { as: guest, language: 'en' });
  const none = page.getByText('None', { exact: true });
  const unreached = page.getByText('Deleted, or out of your reach', { exact: true });
  await unreached.waitFor();
  expect(await none.count()).toBe(0);
  await owner.manage('PATCH', path, { environmentID: null });
  await page.reload();
  await none.waitFor();
  expect(await unreached.count()).toBe(0);
});

test('two versions are compared, the next one is published, and the switches of a process act at once', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const process = await makeProcess(stack, { owner, flow: FLOW });
  const path = `/processes/${process.processID}`;
  const steps = [
    { name: 'A', type: 'variables', routes: [{ to: 'Added' }] },
    { name: 'Added', type: 'wait', seconds: 1 },
  ];
  await owner.manage('PUT', `${path}/flow`, { start: 'A', steps });
  const page = await open(`${path}/versions`, { as: owner, language: 'en' });
  await page.getByRole('region', { name: 'Compare' }).getByText('Added', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Compare' }).getByText('added', { exact: true }).waitFor();
  await press(page, 'Publish');
  await press(page.getByRole('dialog'), 'Publish');
  await page.getByText('Version 2 has been published').waitFor();
  const toRun = page.getByRole('dialog').getByRole('link', { name: 'Run now' });
  expect(await toRun.getAttribute('href')).toBe(`${path}/run`);
  await page.keyboard.press('Escape');
  await row(page, 'In use').getByText('Version 2', { exact: true }).waitFor();
  await page.getByLabel('From', { exact: true }).selectOption({ label: 'Version 1' });
  await page.getByLabel('To', { exact: true }).selectOption({ label: 'Version 2' });
  await page.getByRole('region', { name: 'Compare' }).getByText('added', { exact: true }).waitFor();
  await page.getByLabel('From', { exact: true }).selectOption({ label: 'Version 2' });
  await page.getByRole('region', { name: 'Compare' }).getByText('There are no differences.').waitFor();

  await page.goto(path);
  const api = (checked: boolean) =>
    page.getByRole('switch', { name: 'Starts over the API are allowed', checked, disabled: false });
  await api(true).press('Space');
  await api(false).waitFor();
  expect((await process.start()).status).toBe(403);
  await press(page, 'Delete');
  await press(page.getByRole('dialog'), 'Delete');
  await page.getByText('You have no process yet').waitFor();
});

test('versions are read page by page, and the oldest one can be compared', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner, flow: FLOW });
  const store = await openTestStore(stack.env.DATABASE_URL ?? '');
  await store.write(
    `INSERT INTO process_version (version_id, process_id, version, flow, mappings, published_by, published_at)
     SELECT UUID(), process_id, seq, flow, mappings, published_by, published_at
       FROM process_version JOIN seq_2_to_${MORE_THAN_A_PAGE} WHERE process_id = ?`,
    [processID],
  );
  await store.close();
  const page = await open(`/processes/${processID}/versions`, { as: owner, language: 'en' });
  const table = page.getByRole('table', { name: 'Versions' });
  await table.getByRole('row').nth(100).waitFor();
  expect(await table.getByRole('row').count()).toBe(101);
  await press(page, 'Load more');
  await table.getByRole('row').nth(MORE_THAN_A_PAGE).waitFor();
  await page.getByLabel('From', { exact: true }).selectOption({ label: 'Version 1' });
  await page.getByRole('region', { name: 'Compare' }).getByText('There are no differences.').waitFor();
});

test('shares are read page by page, and the oldest one keeps what somebody else has granted meanwhile', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  const store = await openTestStore(stack.env.DATABASE_URL ?? '');
  await store.write(
    `INSERT INTO share_invitation
       (process_id, email, may_execute, may_edit, may_api, may_schedule, may_delete, may_share, created_at)
     SELECT ?, CONCAT('person-', seq, '@example.com'), 1, 0, 0, 0, 0, 0, FROM_UNIXTIME(seq)
       FROM seq_1_to_${MORE_THAN_A_PAGE}`,
    [processID],
  );
  await store.close();
  const page = await open(`/processes/${processID}/shares`, { as: owner, language: 'en' });
  const table = page.getByRole('table', { name: 'Sharing' });
  await table.getByRole('row').nth(100).waitFor();
  expect(await table.getByRole('row').count()).toBe(101);
  await press(page, 'Load more');
  await table.getByRole('row').nth(MORE_THAN_A_PAGE).waitFor();
  await press(page, 'Change: person-1@example.com');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('checkbox', { name: 'Edit', exact: true }).check();
  const none = { execute: false, edit: false, schedule: false, api: false, share: false, delete: false };
  const path = `/processes/${processID}/shares/person-1@example.com`;
  await owner.manage('PUT', path, { ...none, execute: true, schedule: true });
  await press(dialog, 'Save');
  await dialog.waitFor({ state: 'detached' });
  expect(await owner.manage('GET', path)).toMatchObject({
    permissions: { ...none, execute: true, schedule: true, edit: true },
  });
});

test('the agents of an environment are shown in parts with the names of what they run, and a new environment stays open at a press beside it', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { environmentID } = await makeEnvironment(stack, { owner, name: 'Plant' });
  const store = await openTestStore(stack.env.DATABASE_URL ?? '');
  await store.write(
    `INSERT INTO agent_session (session_id, environment_id, router_id, agent_name, runtime_version, abilities, capacity,
                                connected_at, lease_until)
     SELECT UUID(), ?, 'router', CONCAT('robot ', seq), '1.0.0', '["rest"]', 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL 1 HOUR
       FROM seq_1_to_${MORE_THAN_A_PAGE}`,
    [environmentID],
  );
  await store.close();
  const page = await open(`/environments/${environmentID}`, { as: owner, language: 'en' });
  const rows = row(page, 'robot ');
  await rows.nth(49).waitFor();
  expect(await rows.count()).toBe(50);
  await rows.first().getByText('HTTP call rest').waitFor();
  await press(page, 'Load more');
  await rows.nth(99).waitFor();
  await press(page, 'Load more');
  await rows.nth(MORE_THAN_A_PAGE - 1).waitFor();
  expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);

  await page.getByRole('link', { name: 'Environments' }).click();
  await page.getByRole('button', { name: 'New environment' }).first().click();
  const dialog = page.getByRole('dialog');
  await field(dialog, 'Name').fill('Other plant');
  await pressBeside(page);
  await press(dialog, 'Add');
  await dialog.getByLabel('Activation key', { exact: true }).first().waitFor();
});
