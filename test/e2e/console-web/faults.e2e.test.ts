import type { Flow } from '@batuta/flow';
import type { Page } from 'playwright-core';
import { PageServer } from '../../../apps/agent/test/page-server';
import { makeEnvironment, makeOwner, makeProcess } from '../support/tenants/factories';
import * as s from '../../support/shape';
import { instanceOf, messagesOf, untilEnded } from '../support/tenants/instances';
import { until } from '../support/until';
import {
  allowChanges,
  REFUSAL_REQUEST_ID,
  press,
  refuseChanges,
  REFUSALS,
  makeSubmitAfterRefusal,
} from './support/refusals';
import { field, untilDrawn, untilNotified, useWebWorld } from './support/web-world';

const web = useWebWorld();

/** The longest pause, so that without the button the page would wait for half a minute. */
const LATE_RETRY = { ...REFUSALS.outage, headers: { ...REFUSALS.outage.headers, 'retry-after': '600' } };

const openTab = (page: Page, name: string) => page.getByRole('tab', { name }).click();

/** A flow whose second step ends when the server at `url` answers. */
const flowWaitingFor = (url: string): Flow => ({
  start: 'Before',
  steps: [
    { name: 'Before', type: 'variables', rows: [{ name: 'a', mode: 'Fixo', value: '1' }], routes: [{ to: 'Gate' }] },
    { name: 'Gate', type: 'rest', method: 'GET', url, routes: [{ to: 'After' }] },
    { name: 'After', type: 'variables', rows: [{ name: 'b', mode: 'Fixo', value: '2' }] },
  ],
});

test('a run that is watched over a lost connection and an outage shows each line of its log once, and its end', async () => {
  const { open, stack } = web();
  let openGate = () => {};
  const server = await PageServer.create({ '/gate': (_, response) => (openGate = () => response.end('open')) });
  const owner = await makeOwner(stack);
  const environment = await makeEnvironment(stack, { owner });
  await stack.startAgent(environment);
  const process = await makeProcess(stack, { owner, environment, flow: flowWaitingFor(`${server.url}/gate`) });
  const instanceID = instanceOf(await process.start());
  const page = await open(`/runs/${instanceID}`, { as: owner, language: 'en' });
  await page.getByText('Live', { exact: true }).waitFor();
  const lines = page.getByRole('log').locator('> div');
  await until(
    () => lines.allInnerTexts(),
    (texts) => texts.some((text) => text.includes('Gate') && text.includes('started')),
  );
  await page.context().setOffline(true);
  await page.getByText('No connection: trying again.', { exact: false }).waitFor();
  openGate();
  await untilEnded(owner, instanceID);
  let refused = 0;
  await page.route('**/events*', async (route) => {
    refused += 1;
    await (refused > 1 ? route.continue() : route.fulfill(REFUSALS.outage));
  });
  await page.context().setOffline(false);
  await page.getByText('The run has ended', { exact: true }).waitFor();
  const messages = (await messagesOf(owner, instanceID)).map((message) => message.replace(/^Step "\w+": /, ''));
  await until(
    () => lines.count(),
    (count) => count === messages.length,
  );
  expect((await lines.allInnerTexts()).map((text) => text.split('\n').at(-1))).toEqual(messages);
  expect(refused).toBe(2);
  server.close();
});

test('a page whose data cannot be read says at once that the read is repeated, and repeats it when the user asks', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner, processName: 'Orders' });
  const page = await open('/account', { as: owner, language: 'en' });
  for (const [path, call, name] of [
    [`/processes/${processID}`, `**/manage/v1/processes/${processID}`, 'Orders'],
    ['/processes', '**/manage/v1/processes?*', 'Processes'],
    ['/', '**/manage/v1/me', 'Home'],
  ] as const) {
    await page.route(call, (route) => route.fulfill(LATE_RETRY));
    await page.goto(path);
    const alert = page.getByRole('alert').filter({ hasText: 'The database does not answer; try again.' });
    await alert.waitFor();
    await page.unroute(call);
    const { promise: isSeen, resolve: answer } = Promise.withResolvers<void>();
    await page.route(call, async (route) => {
      await isSeen;
      await route.continue();
    });
    const repeated = page.waitForRequest(call);
    const button = page.getByRole('button', { name: path === '/' ? 'Try again' : 'Try now', exact: true });
    await button.click();
    await repeated;
    await untilDrawn(page);
    expect(await button.and(page.locator(':focus')).count()).toBe(1);
    expect(await alert.count()).toBe(1);
    answer();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await alert.waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: /^Try (?:now|again)$/ }).count()).toBe(0);
  }
});

test('the failure of a month of a calendar is not shown for another month', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  const draft = { name: 'Daily', cronExpression: '0 8 * * *', matrix: {} };
  const made = await owner.manage('POST', `/processes/${processID}/schedules`, draft);
  const { id } = s.object({ id: s.text() }).parse(made);
  const page = await open('/account', { as: owner, language: 'en' });
  const { promise: isSeen, resolve: answer } = Promise.withResolvers<void>();
  let refused = 0;
  await page.route('**/calendar?*', async (route) => {
    if (route.request().url().includes('2099-01')) {
      refused += 1;
      return route.fulfill(LATE_RETRY);
    }
    await isSeen;
    return route.continue();
  });
  await page.goto(`/schedules/${id}?month=2099-01`);
  const alert = page.getByRole('alert').filter({ hasText: 'The database does not answer; try again.' });
  await alert.waitFor();
  await press(page, 'Try now');
  await until(
    async () => refused,
    (count) => count > 1,
  );
  await press(page, 'Later month');
  await alert.waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Try now', exact: true }).count()).toBe(0);
  answer();
  await page.getByRole('table', { name: 'February 2099' }).waitFor();
});

test('while the API is away, each form keeps what was typed and the focus of its button, and shows the message and the request id', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const environment = await makeEnvironment(stack, { owner, name: 'Plant' });
  const matrix = [{ name: 'pin', type: 'Secreto' }];
  const { processID } = await makeProcess(stack, { owner, environment, matrix, processName: 'Orders' });
  const page = await open(`/processes/${processID}/matrix`, { as: owner, language: 'en' });
  const submit = makeSubmitAfterRefusal(page);

  await press(page, 'New variable');
  await submit(page, 'Save the Matrix', { Name: 'customer', Default: 'nobody' });
  await untilNotified(page, 'The Matrix has been saved.');
  await openTab(page, 'Keys');
  await page.getByRole('button', { name: 'New key' }).first().click();
  await submit(page.getByRole('dialog'), 'Create', { Identifier: 'ERP' });
  await press(page, 'I have copied it');
  await openTab(page, 'Sharing');
  await page.getByRole('button', { name: 'Share' }).first().click();
  await submit(page.getByRole('dialog'), 'Share', { 'E-mail': 'somebody@example.com' });
  await page.getByRole('rowheader', { name: 'somebody@example.com', exact: true }).waitFor();
  await openTab(page, 'Run');
  await submit(page, 'Run now', { customer: 'Ana', pin: 'typed once' });
  await page.getByText('The run is queued').waitFor();

  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('link', { name: 'Orders' }).click();
  await page.getByRole('button', { name: 'New origin' }).first().click();
  await page.getByRole('dialog').getByLabel('Signature').selectOption('set');
  const signature = { 'Header of the signature': 'X-Sign', 'Shared secret': 'typed once' };
  await submit(page.getByRole('dialog'), 'Add', { Name: 'Shop', ...signature });
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
  await page.getByRole('link', { name: 'Environments' }).click();
  await page.getByRole('button', { name: 'New environment' }).first().click();
  await submit(page.getByRole('dialog'), 'Add', { Name: 'Other plant', Description: 'two\nlines' });
  await press(page, 'I have copied it');
  await page.getByRole('link', { name: 'My account' }).click();
  await page.getByRole('button', { name: 'New secret' }).first().click();
  await submit(page.getByRole('dialog'), 'Keep it', { Name: 'ERP', Value: 'typed once' });
  await page.getByRole('rowheader', { name: '{vault.ERP}' }).waitFor();
  await page.getByRole('link', { name: 'Schedules' }).click();
  await page.getByRole('button', { name: 'New schedule' }).first().click();
  await field(page.getByRole('dialog'), 'Process').selectOption('Orders');
  await field(page.getByRole('dialog'), 'Repeats').selectOption('Other, by the expression');
  await submit(page.getByRole('dialog'), 'Add', { Name: 'Every evening', Expression: '30 18 * * *' });
  await page.getByRole('link', { name: 'Every evening' }).waitFor();

  await page.goto(`/processes/${processID}/flow`);
  await page.locator('.react-flow__node').first().click();
  const stepName = page.getByLabel('Name of the step');
  await stepName.fill('typed once');
  await stepName.press('Enter');
  await refuseChanges(page);
  await press(page, 'Save');
  const alert = page.getByRole('alert').filter({ hasText: REFUSAL_REQUEST_ID }).first();
  await alert.getByText('The database does not answer; try again.').waitFor();
  await page.getByText('Unsaved changes').waitFor();
  expect(await stepName.inputValue()).toBe('typed once');
  await allowChanges(page);
  await press(page, 'Save');
  await page.getByText('All saved').waitFor();
});

test('what somebody types in a shared process stays when the permission for it ends meanwhile', async () => {
  const { open, stack } = web();
  const [owner, guest] = [await makeOwner(stack), await makeOwner(stack)];
  const matrix = [{ name: 'amount', type: 'Moeda' }];
  const { processID } = await makeProcess(stack, { owner, matrix, processName: 'Orders' });
  const share = `/processes/${processID}/shares/${encodeURIComponent(guest.email)}`;
  const none = { execute: false, edit: false, schedule: false, api: false, share: false, delete: false };
  const allow = () => owner.manage('PUT', share, { ...none, execute: true, edit: true });
  await allow();
  const page = await open(`/processes/${processID}/matrix`, { as: guest, language: 'en' });
  /**
   * Presses the button after the permission was withdrawn while the page still shows the button. Then the page reads
   * the permissions again, and `isNoticed` waits until the button shows the change.
   */
  const refuse = async (button: string, isNoticed: () => Promise<unknown>) => {
    await owner.manage('PUT', share, none);
    await press(page, button);
    const alert = page.getByRole('alert').filter({ hasText: 'You may not do this (any more).' });
    await alert.getByText(/^Request id: \S+$/).waitFor();
    await readAgain(page, processID);
    await isNoticed();
    await allow();
    await readAgain(page, processID);
  };

  await press(page, 'New variable');
  await field(page, 'Name').last().fill('typed');
  await refuse('Save the Matrix', async () => {
    expect(await field(page, 'Name').last().inputValue()).toBe('typed');
  });
  await press(page, 'Save the Matrix');
  await untilNotified(page, 'The Matrix has been saved.');
  await openTab(page, 'Run');
  await field(page, 'amount').fill('12,5');
  await refuse('Run now', async () => {
    expect(await field(page, 'amount').inputValue()).toBe('12,5');
  });
  await openTab(page, 'Webhooks');
  await press(page.getByRole('dialog'), 'Leave without saving');
  await page.getByRole('button', { name: 'New origin' }).first().click();
  await field(page.getByRole('dialog'), 'Name').fill('Shop');
  await refuse('Add', async () => {
    expect(await field(page.getByRole('dialog'), 'Name').inputValue()).toBe('Shop');
  });
  await press(page.getByRole('dialog'), 'Add');
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
});

/** Sets the clock of the window a minute forward and gives the window the focus, so that the page reads its data again. */
async function readAgain(page: Page, processID: string): Promise<void> {
  await page.evaluate('(() => { const now = Date.now; Date.now = () => now() + 60_000; })()');
  const answer = page.waitForResponse((response) => response.url().endsWith(`/processes/${processID}`));
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await (await answer).finished();
}
