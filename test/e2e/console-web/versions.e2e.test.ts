import { openTestStore } from '../support/stack/database';
import { makeOwner, makeProcess } from '../support/tenants/factories';
import { press } from './support/refusals';
import { MORE_THAN_A_PAGE, row, useWebWorld } from './support/web-world';

const web = useWebWorld();

const FLOW = { start: 'A', steps: [{ name: 'A', type: 'variables' as const }] };

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
  const apiSwitch = (checked: boolean) =>
    page.getByRole('switch', { name: 'Starts over the API are allowed', checked, disabled: false });
  await apiSwitch(true).press('Space');
  await apiSwitch(false).waitFor();
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
