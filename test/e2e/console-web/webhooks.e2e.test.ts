import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { makeEnvironment, makeOwner, makeProcess } from '../support/tenants/factories';
import { makeOrigin, saveMapping, sendEvent, type Origin } from '../support/webhooks/webhooks';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { press } from './support/refusals';
import { untilSettled, useWebWorld } from './support/web-world';

const web = useWebWorld();

const FLOW = {
  start: 'Greet',
  steps: [
    {
      name: 'Greet',
      type: 'variables' as const,
      rows: [{ name: 'greeting', mode: 'Variável ou texto' as const, value: 'Hello {matrix.customer}' }],
    },
  ],
};

/** A script by which the clock of a page stands still. */
const STOP_CLOCK = 'Date.now = ((now) => () => now)(Date.now());';

/** An origin of a published process in an environment with a connected agent, and the page of the origin. */
async function openOrigin(type = 'Texto'): Promise<{ page: Page; origin: Origin }> {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const environment = await makeEnvironment(stack, { owner });
  await stack.startAgent(environment);
  const matrix = [{ name: 'customer', type }];
  const process = await makeProcess(stack, { owner, environment, matrix, flow: FLOW });
  const origin = await makeOrigin(process, { name: 'Shop' });
  const page = await open(`/processes/${process.processID}/webhooks/${origin.id}`, { as: owner, language: 'en' });
  return { page, origin };
}

const urlIn = async (page: Page, label: string) =>
  (await page.getByLabel(label, { exact: true }).last().textContent()) ?? '';

/** Opens the run that was started last, waits for its end, and expects the greeting and the trigger. */
async function expectGreeting(page: Page, greeting: string, trigger: string): Promise<void> {
  await page.getByRole('link', { name: 'Open the run' }).last().click();
  await page.getByText('The run has ended', { exact: true }).waitFor();
  await page.getByRole('log').getByText(`greeting = "${greeting}"`).waitFor();
  await page.getByText(trigger, { exact: false }).first().waitFor();
  await page.goBack();
}

test('a field of a capture is dragged onto a variable, and the capture runs in debug mode and as a replay', async () => {
  const { page, origin } = await openOrigin();
  const { owner, processID } = origin.process;
  expect((await sendEvent(origin.devUrl, { order: { customer: 'Ana' } })).status).toBe(200);
  const field = page.getByRole('list', { name: 'Payload' }).getByRole('button', { name: /^customer / });
  await field.waitFor();
  await field.dragTo(page.getByText('customer (Texto)'));
  await page.getByText('/order/customer', { exact: true }).first().waitFor();
  const preview = page.getByRole('table', { name: 'Preview' }).getByRole('row', { name: /^customer / });
  await preview.getByText('"Ana"').waitFor();
  await preview.getByText('Not mapped').waitFor();

  await page.getByRole('button', { name: 'Remove the field: customer' }).press('Enter');
  await page.getByRole('group', { name: 'customer' }).and(page.locator(':focus')).waitFor();
  await page.getByText('No field is mapped yet.').waitFor();
  await page.getByRole('button', { name: 'Put the field here: customer' }).press('Enter');
  await preview.getByText('"Ana"').waitFor();

  await press(page, 'Debug run');
  await page.getByText('The debug run has started.').waitFor();
  await expectGreeting(page, 'Hello Ana', 'Debug');
  await page.getByRole('button', { name: 'Save the mapping', disabled: false }).press('Enter');
  // The button is disabled now, so the keyboard goes on at what comes next.
  const hint = page.getByText('It goes into production with the next published version.');
  await hint.and(page.locator(':focus')).waitFor();
  await owner.manage('POST', `/processes/${processID}/publish`);
  await press(page, 'Replay');
  await press(page.getByRole('dialog'), 'Replay');
  await page.getByText('The replay has started.').waitFor();
  await expectGreeting(page, 'Hello Ana', 'Webhook');
  await page.getByRole('table', { name: 'Preview' }).getByText('Not mapped').waitFor({ state: 'detached' });

  await page.goto(`/processes/${processID}/flow`);
  await press(page, 'Debug run');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('From a capture').check();
  await dialog.getByRole('combobox', { name: 'Capture' }).selectOption({ index: 1 });
  await press(dialog, 'Run');
  const run = page.getByRole('region', { name: 'Debug run' });
  await run.getByText('Finished').waitFor();
  await run.getByRole('button', { name: /Greet/ }).click();
  await page.getByRole('tab', { name: 'Run' }).click();
  await page.getByText('greeting = "Hello Ana"').waitFor();

  await page.goto(`/processes/${processID}/webhooks/${origin.id}`);
  await press(page.getByRole('region', { name: 'Captures' }), 'Delete');
  await press(page.getByRole('dialog', { name: 'Delete this capture?' }), 'Delete');
  await page.getByText('Nothing has arrived yet').waitFor();
});

test('an origin without captures shows a command that makes one, and says why calls of its production URL are refused', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const process = await makeProcess(stack, { owner, matrix: [{ name: 'customer', type: 'Texto' }], flow: null });
  const path = `/processes/${process.processID}`;
  const signature = { header: 'X-Signature', secret: 'shared secret', toleranceSeconds: 300 };
  const { id } = await makeOrigin(process, { name: 'Shop', signature });
  const page = await open(`${path}/webhooks/${id}`, { as: owner, language: 'en', viewport: 'narrow' });
  const refused = page
    .getByRole('region', { name: 'Production URL' })
    .getByRole('status')
    .filter({ hasText: 'Calls are refused now' });
  await refused.getByText('No version is published yet.').waitFor();
  await page.getByText('from the environment variable BATUTA_WEBHOOK_SECRET.', { exact: false }).waitFor();
  await page.getByText('No variable has a field yet: each one takes its default.').waitFor();
  for (const url of ['Development URL', 'Production URL']) {
    await page.getByRole('button', { name: `Copy an example call: ${url}`, exact: true }).waitFor();
  }
  await untilSettled(page);
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
  const command = await page.getByLabel('Or send an example yourself, in a terminal', { exact: true }).textContent();
  const env = { ...globalThis.process.env, BATUTA_WEBHOOK_SECRET: signature.secret };
  const { stdout } = await promisify(execFile)('bash', ['-c', command ?? ''], { env });
  expect(JSON.parse(stdout)).toMatchObject({ captured: true });
  await page
    .getByRole('list', { name: 'Payload' })
    .getByRole('button', { name: /^customer / })
    .waitFor();
  await owner.manage('PUT', `${path}/flow`, FLOW);
  await owner.manage('POST', `${path}/publish`);
  await owner.manage('PATCH', path, { active: false });
  await page.reload();
  await refused.getByText('The process is switched off.').waitFor();
  await owner.manage('PATCH', path, { active: true });
  await page.reload();
  await page.getByText('Starts the published version.').waitFor();
  await refused.waitFor({ state: 'detached' });
});

test('an origin that is switched off says that its URLs refuse calls, and the list counts the origins of each process', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const process = await makeProcess(stack, { owner, processName: 'Orders' });
  await makeProcess(stack, { owner, processName: 'Quotes' });
  const { id } = await makeOrigin(process, { name: 'Shop' });
  await makeOrigin(process, { name: 'Bank' });
  const page = await open('/webhooks', { as: owner, language: 'en', viewport: 'narrow' });
  await page.getByText('2 on', { exact: true }).waitFor();
  await page.getByText('None', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Orders' }).click();
  await page.getByRole('link', { name: 'Shop' }).click();
  const off = page.getByRole('status').filter({ hasText: 'Both URLs refuse calls now' });
  const waiting = page.getByRole('status').filter({ hasText: 'Calls are accepted and wait in the queue now' });
  await waiting.waitFor();
  await page.getByRole('switch', { name: 'Accept calls of both URLs', checked: true, disabled: false }).press('Space');
  await off.waitFor();
  expect(await waiting.count()).toBe(0);
  await untilSettled(page);
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
  expect(new URL(page.url()).pathname).toBe(`/processes/${process.processID}/webhooks/${id}`);
  await page.goBack();
  await page.goBack();
  await page.getByText('1 on', { exact: true }).waitFor();
  await page.getByText('1 off', { exact: true }).waitFor();
});

test('the hint has the focus after a mapping that fills a Secreto is confirmed and saved', async () => {
  const { page, origin } = await openOrigin('Secreto');
  await sendEvent(origin.devUrl, { order: { customer: 'Ana' } });
  await page
    .getByRole('list', { name: 'Payload' })
    .getByRole('button', { name: /^customer / })
    .dragTo(page.getByText('customer (Secreto)'));
  await page.getByText('/order/customer', { exact: true }).first().waitFor();
  // While the draft is being stored, the button is disabled and ignores the key.
  await page.getByRole('button', { name: 'Save the mapping', disabled: false }).press('Enter');
  // The dialog takes the focus when it has opened, and the key would go to another button.
  await page.getByRole('dialog').locator(':focus').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Save the mapping' }).press('Enter');
  const hint = page.getByText('It goes into production with the next published version.');
  await hint.and(page.locator(':focus')).waitFor();
  expect(await page.getByRole('button', { name: 'Save the mapping' }).isDisabled()).toBe(true);
});

test.each(['Versions', 'Flow'])(
  'the page of an origin says that its mapping is in production once it is published on the tab %s',
  async (tab) => {
    const { page, origin } = await openOrigin();
    await saveMapping(origin, { customer: '/customer' });
    // The clock of the page stands still, so that it reads an answer that it has cached again only because of the publication, not because of its age.
    await page.addInitScript(STOP_CLOCK);
    await page.reload();
    const pending = page.getByText('It goes into production with the next published version.');
    await pending.waitFor();
    // The test follows links and reloads nothing, so that the page keeps the answers that it has cached.
    await page.getByRole('link', { name: 'All webhooks of the process' }).click();
    await page
      .getByRole('main')
      .getByRole('link', { name: /^Process / })
      .click();
    await page.getByRole('tab', { name: tab, exact: true }).click();
    await press(page, 'Publish');
    if (tab === 'Versions') await press(page.getByRole('dialog'), 'Publish');
    await page.getByText(/^Version 2 (is|has been) published/).waitFor();
    await page.goBack();
    await page.getByRole('tab', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('link', { name: 'Shop' }).click();
    await page.getByText('The published version uses this mapping.').waitFor();
    expect(await pending.count()).toBe(0);
  },
);

test('a field that was chosen in a capture is not chosen in another one', async () => {
  const { page, origin } = await openOrigin();
  await sendEvent(origin.devUrl, { first: 1 });
  const fieldOf = (name: string) =>
    page.getByRole('list', { name: 'Payload' }).getByRole('button', { name: new RegExp(`^${name} `) });
  await fieldOf('first').click();
  const put = page.getByRole('button', { name: 'Put the field here: customer' });
  await put.and(page.locator(':enabled')).waitFor();
  await sendEvent(origin.devUrl, { second: 2 });
  const show = page.getByRole('button', { name: /^Show: / });
  await show.nth(1).waitFor();
  await show.first().click();
  await fieldOf('second').waitFor();
  expect(await put.isDisabled()).toBe(true);
  await show.nth(1).click();
  await fieldOf('first').and(page.locator('[aria-pressed=true]')).waitFor();
});

test('a replaced URL and an origin that is switched off accept no more calls', async () => {
  const { page, origin } = await openOrigin();
  await page.getByRole('button', { name: 'Replace: Development URL' }).click();
  await press(page.getByRole('dialog'), 'Replace');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const replaced = await urlIn(page, 'Development URL');
  expect(replaced).not.toBe(origin.devUrl);
  expect((await sendEvent(origin.devUrl, {})).status).toBe(401);
  expect((await sendEvent(replaced, {})).status).toBe(200);
  expect(await urlIn(page, 'Production URL')).toBe(origin.prodUrl);

  await page.getByRole('switch', { name: 'Accept calls of both URLs', disabled: false }).press('Space');
  await page.getByRole('switch', { name: 'Accept calls of both URLs', checked: false, disabled: false }).waitFor();
  expect((await sendEvent(replaced, {})).body).toMatchObject({ error: { code: 'WEBHOOK_DISABLED' } });
});
