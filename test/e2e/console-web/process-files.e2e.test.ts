import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { readZip } from '../../../apps/console-web/src/features/processes/files/zip';
import * as s from '../../support/shape';
import { EMPTY_FLOW, makeEnvironment, makeOwner, makeProcess, type Owner } from '../support/tenants/factories';
import { makeOrigin } from '../support/webhooks/webhooks';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { press } from './support/refusals';
import { field, takePictures, untilNotified, useWebWorld } from './support/web-world';

const web = useWebWorld();

const processShape = s.object({ processID: s.text(), processName: s.text() });
const listShape = s.object({ processes: s.list(processShape) });
const processesOf = async (owner: Owner) => listShape.parse(await owner.manage('GET', '/processes')).processes;

async function makeSource() {
  const { stack } = web();
  const owner = await makeOwner(stack);
  const environment = await makeEnvironment(stack, { owner, name: 'Robots' });
  const matrix = [{ name: 'total', type: 'Moeda', default: '10,00' }];
  const process = await makeProcess(stack, { owner, environment, matrix, processName: 'Orders' });
  const signature = { header: 'X-Sign', secret: 'of the shop' };
  await makeOrigin(process, { name: 'Shop', signature, mapping: { total: '/total' } });
  return { owner, process };
}

/** Presses Export and returns the archive that the browser downloads. */
async function exportProcess(page: Page): Promise<{ name: string; buffer: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Export')]);
  return { name: download.suggestedFilename(), buffer: await readFile(await download.path()) };
}

test('a process is exported as the files of the command line, and imported once by another company after a look at the changes', async () => {
  const { open, stack } = web();
  const { owner, process } = await makeSource();
  const source = await open(`/processes/${process.processID}`, { as: owner, language: 'en' });
  const archive = await exportProcess(source);
  expect(archive.name).toBe('orders.zip');
  const texts = await readZip(Uint8Array.from(archive.buffer));
  expect([...texts.keys()]).toEqual(['process', 'matrix', 'flow', 'origins/shop'].map((name) => `orders/${name}.json`));
  expect(JSON.stringify([...texts])).not.toContain('of the shop');

  const other = await makeOwner(stack);
  await makeEnvironment(stack, { owner: other, name: 'Elsewhere' });
  const page = await open('/processes', { as: other, language: 'en' });
  const dialog = page.getByRole('dialog');
  const begin = async (file = { ...archive, mimeType: 'application/zip' }) => {
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.locator('input[type="file"]').setInputFiles(file);
  };
  await begin({ name: 'notes.zip', mimeType: 'application/zip', buffer: Buffer.from('no archive') });
  await dialog.getByText('this is no ZIP archive').waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await dialog.locator('input[type="file"]').setInputFiles({ ...archive, mimeType: 'application/zip' });
  await field(dialog, 'Environment').waitFor();
  await press(dialog, 'Show what changes');
  await dialog.getByText('"Robots" is no environment of this account', { exact: false }).waitFor();
  await field(dialog, 'Environment').selectOption('Elsewhere');
  await press(dialog, 'Show what changes');
  await dialog.getByText('its secret is needed', { exact: false }).waitFor();
  await dialog.getByLabel('Secret of the signatures').fill('of the other shop');
  await press(dialog, 'Show what changes');
  await dialog.getByText('The process Orders will be created.').waitFor();
  await takePictures(page, 'process-import');
  expect(await processesOf(other)).toEqual([]);
  await press(dialog, 'Import');
  await untilNotified(page, 'The process has been imported.');
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  const [made] = await processesOf(other);
  expect(await other.manage('GET', `/processes/${made?.processID}/flow`)).toMatchObject({ flow: EMPTY_FLOW });
  expect(await other.manage('GET', `/processes/${made?.processID}`)).toMatchObject({ currentVersion: 0 });

  await other.manage('PATCH', `/processes/${made?.processID}`, { description: 'changed here' });
  await page.goto('/processes');
  await begin();
  await field(dialog, 'Environment').selectOption('Elsewhere');
  await press(dialog, 'Show what changes');
  await dialog.getByText('process.json /description').waitFor();
  let answer: () => void = () => undefined;
  const isFormChanged = new Promise<void>((resolve) => (answer = resolve));
  await page.route(`**/processes/${made?.processID}`, async (route) => {
    if (route.request().method() !== 'GET') await isFormChanged;
    await route.continue();
  });
  await press(dialog, 'Import');
  const button = dialog.locator('button[type="submit"]');
  await dialog.locator('button[type="submit"][data-loading="true"]').waitFor();
  await field(dialog, 'Environment').selectOption({ index: 0 });
  expect(await button.isDisabled()).toBe(true);
  answer();
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  expect(await other.manage('GET', `/processes/${made?.processID}`)).toMatchObject({ description: '' });
  expect(await processesOf(other)).toHaveLength(1);
});

test('a duplicate has the definition of the process, and a name that no other own process has', async () => {
  const { open } = web();
  const { owner, process } = await makeSource();
  const page = await open(`/processes/${process.processID}`, { as: owner, language: 'en', viewport: 'narrow' });
  await press(page, 'Duplicate');
  const dialog = page.getByRole('dialog', { name: 'Duplicate Orders' });
  expect(await field(dialog, 'Name').inputValue()).toBe('Copy of Orders');
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
  await dialog.getByLabel('Secret of the signatures').fill('of the copy');
  await field(dialog, 'Name').fill('Orders');
  await press(dialog, 'Duplicate');
  await dialog.getByText('You have a process with this name.').waitFor();
  await field(dialog, 'Name').fill('Orders of tomorrow');
  await press(dialog, 'Duplicate');
  await page.getByRole('heading', { level: 1, name: 'Orders of tomorrow' }).waitFor();
  const copy = (await processesOf(owner)).find(({ processName }) => processName === 'Orders of tomorrow');
  const path = `/processes/${copy?.processID}`;
  expect(await owner.manage('GET', `${path}/flow`)).toMatchObject({ flow: EMPTY_FLOW });
  expect(await owner.manage('GET', path)).toMatchObject({ matrix: [{ name: 'total', type: 'Moeda', default: 10 }] });
  const { origins } = s.object({ origins: s.list(s.anything) }).parse(await owner.manage('GET', `${path}/origins`));
  expect(origins).toMatchObject([{ name: 'Shop', signature: { header: 'X-Sign' } }]);
});
