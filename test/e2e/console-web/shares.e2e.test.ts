import { makeOwner, makeProcess } from '../support/tenants/factories';
import { openManyShares } from './support/many-shares';
import { press } from './support/refusals';
import { field, MORE_THAN_A_PAGE, pressBeside, row, useWebWorld } from './support/web-world';

const web = useWebWorld();

test('sharing again with the same person changes nothing, and refers to the list, where a share is changed', async () => {
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

test('the home page of somebody with a shared process leads to it, and not only to a process of their own', async () => {
  const { open, stack } = web();
  const [owner, guest] = [await makeOwner(stack), await makeOwner(stack)];
  const { processID } = await makeProcess(stack, { owner, processName: 'Orders' });
  const none = { execute: false, edit: false, schedule: false, api: false, share: false, delete: false };
  const share = `/processes/${processID}/shares/${encodeURIComponent(guest.email)}`;
  const hint = 'A process is shared with you already: you can run it without these steps.';
  const page = await open('/', { as: guest, language: 'en' });
  await page.getByText('Welcome!', { exact: false }).waitFor();
  expect(await page.getByText(hint).count()).toBe(0);
  await owner.manage('PUT', share, { ...none, execute: true });
  await page.getByText(hint).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Go to the processes', exact: true }).click();
  await page.getByRole('link', { name: 'Orders', exact: true }).waitFor();
});

test('shares are read page by page, and the oldest one keeps what somebody else has granted meanwhile', async () => {
  const { owner, processID, page, rows } = await openManyShares(web());
  expect(await rows.count()).toBe(101);
  await press(page, 'Load more');
  await rows.nth(MORE_THAN_A_PAGE).waitFor();
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
