import { makeOwner, makeProcess } from '../support/tenants/factories';
import { press } from './support/refusals';
import { beforeNextPut, field, row, untilNotified, useWebWorld } from './support/web-world';

const web = useWebWorld();

const SECRET = 'a value of the vault';

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
  await page.getByRole('rowheader', { name: '{vault.ERP_TOKEN}' }).waitFor();
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

test('a secret that the user allows while the choice before is being saved stays chosen', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  for (const key of ['ERP', 'CRM']) await owner.manage('PUT', `/vault/${key}`, { value: 'a secret of the owner' });
  const page = await open(`/processes/${processID}`, { as: owner, language: 'en' });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const choose = async (key: string) => {
    await page.getByLabel('Secrets that the process may use').first().click();
    await page.getByRole('option', { name: key }).click();
    await page.keyboard.press('Escape');
  };
  await beforeNextPut(page, '/vault-keys', () => choose('CRM'));
  await choose('ERP');
  await save.click();
  await untilNotified(page, 'The allowed secrets have been saved.');
  await save.click();
  await save.waitFor({ state: 'detached' });
  expect(await owner.manage('GET', `/processes/${processID}/vault-keys`)).toEqual({ keys: ['CRM', 'ERP'] });
});
