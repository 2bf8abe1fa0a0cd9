import { gunzipSync } from 'node:zlib';
import { openTestStore } from '../support/stack/database';
import { makeEnvironment, makeOwner, makeProcess } from '../support/tenants/factories';
import { press } from './support/refusals';
import { field, MORE_THAN_A_PAGE, pressBeside, row, useWebWorld } from './support/web-world';

const web = useWebWorld();

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

test('the page of an environment lists its agents page by page, with the names of their abilities, and the form of a new environment stays open when somebody presses beside it', async () => {
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
