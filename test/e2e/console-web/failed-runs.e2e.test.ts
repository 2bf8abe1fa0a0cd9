import type { Flow } from '@batuta/flow';
import type { Page } from 'playwright-core';
import * as s from '../../support/shape';
import { makeEnvironment, makeOwner, makeProcess } from '../support/tenants/factories';
import { instanceOf, untilEnded, untilOnline } from '../support/tenants/instances';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { takePictures, untilNotified, untilSettled, useWebWorld } from './support/web-world';
import { VIEWPORTS } from './support/windows';

const web = useWebWorld();

const homeShape = s.object({ today: s.object({ outcomes: s.dictionary(s.integer()), since: s.utcTime }) });

const SECRET = 'b4nk-t0k3n-9911';
const FAILING_FLOW: Flow = {
  start: 'Prepare',
  steps: [
    { name: 'Prepare', type: 'variables', rows: [], routes: [{ to: 'Send to the bank' }] },
    { name: 'Send to the bank', type: 'script', code: 'throw new Error("the account is closed: " + {matrix.token})' },
  ],
};
const REASON = /At step Send to the bank: script \(line 1\): the account is closed/;

/** Runs a process whose second step fails, with a Secreto in its message, and awaits the end. */
async function makeFailedRun() {
  const { stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const environment = await makeEnvironment(stack, { owner });
  await stack.startAgent(environment);
  await untilOnline(environment);
  const matrix = [{ name: 'token', type: 'Secreto' as const }];
  const process = await makeProcess(stack, { environment, flow: FAILING_FLOW, processName: 'Invoices', matrix });
  const instanceID = instanceOf(await process.start({ matrix: { token: SECRET } }));
  await untilEnded(owner, instanceID);
  return { owner, environment, process, instanceID };
}

const suggestionsOf = (page: Page) => page.getByRole('navigation', { name: 'What you can do now' });

/** Expects no serious violation and no scrolling sideways. */
async function expectReadable(page: Page): Promise<void> {
  await untilSettled(page);
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
}

async function expectReadableOnPhone(page: Page): Promise<void> {
  await page.setViewportSize(VIEWPORTS.narrow);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectReadable(page);
}

test('the number of failed runs on the home page leads to the list of these runs, whose lines say why they failed', async () => {
  const { open } = web();
  const { owner } = await makeFailedRun();
  const page = await open('/', { as: owner, language: 'en' });
  await page.getByRole('table', { name: 'Failed today' }).getByText(REASON).waitFor();
  await page.getByRole('link', { name: 'Failed today 1', exact: true }).click();
  const runs = page.getByRole('table', { name: 'Runs' });
  await runs.getByText(REASON).waitFor();
  const search = new URL(page.url()).searchParams;
  expect([search.get('status'), search.get('origin')]).toEqual(['error', 'manual,api,webhook,schedule']);
  await expectReadable(page);
  await takePictures(page, 'runs-failed');
  await expectReadableOnPhone(page);
  expect(await page.content()).not.toContain(SECRET);
});

test('the home page does not say that no run has failed when the failed ones are older than those that it lists', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  await (await makeProcess(stack, { owner })).start();
  const page = await open('/account', { as: owner, language: 'en' });
  let changed: { outcomes?: Record<string, number>; since?: string } = {};
  await page.route('**/manage/v1/home', async (route) => {
    const home = homeShape.parse(await (await route.fetch()).json());
    await route.fulfill({ json: { ...home, today: { ...home.today, ...changed } } });
  });
  await page.goto('/');
  await page.getByText('No run has failed today').waitFor();
  const { outcomes } = homeShape.parse(await owner.manage('GET', '/home')).today;
  changed = { outcomes: { ...outcomes, ERROR: 3 } };
  await page.reload();
  await page.getByRole('link', { name: 'Failed today 3', exact: true }).waitFor();
  await page.getByText('None of the newest runs has failed').waitFor();
  changed = { since: new Date().toISOString() };
  await page.reload();
  await page.getByRole('link', { name: 'Failed today 0+', exact: true }).waitFor();
  await page.getByText('None of the newest runs has failed').waitFor();
  await expectReadable(page);
  await page.getByRole('link', { name: 'See all of today' }).click();
  await page.waitForURL((url) => url.pathname === '/runs');
  expect(new URL(page.url()).searchParams.get('origin')).toBe('manual,api,webhook,schedule');
});

test('on a machine whose days differ in a part of the year, a page says once that its days are those of São Paulo', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  await (await makeProcess(stack, { owner })).start();
  const page = await open('/', { as: owner, language: 'en', timeZone: 'America/Halifax' });
  const note = page.getByText('Days in São Paulo time');
  const elementsWithNote = async () => page.locator(`[aria-describedby="${await note.getAttribute('id')}"]`);
  await note.waitFor();
  expect(await (await elementsWithNote()).allInnerTexts()).toEqual([
    expect.stringContaining('Finished today'),
    expect.stringContaining('Failed today'),
  ]);
  await page.getByRole('link', { name: 'Failed today 0', exact: true }).waitFor();
  await expectReadable(page);
  for (const path of ['/runs', '/company/audit', '/company']) {
    await page.goto(path);
    await note.waitFor();
    expect(await (await elementsWithNote()).getByLabel(/^(From|Until)$/).count()).toBe(2);
    await expectReadable(page);
  }
});

test('the page of a failed run says what happened and leads to the step, to the line of the log and to a further run', async () => {
  const { open } = web();
  const { owner, environment, process, instanceID } = await makeFailedRun();
  const page = await open(`/runs/${instanceID}`, { as: owner, language: 'en' });
  const ending = page.getByRole('region', { name: 'The run failed at step Send to the bank' });
  await ending.getByText('The step could not go on with the values of this run.').waitFor();
  await ending.getByText('script (line 1): the account is closed').waitFor();
  await suggestionsOf(page).getByRole('button', { name: 'Copy for support' }).waitFor();
  await expectReadable(page);
  await takePictures(page, 'run-failed');
  await suggestionsOf(page).getByRole('button', { name: 'Go to the line in the log' }).press('Enter');
  await page.getByRole('log').locator(':focus').getByText('the account is closed').waitFor();
  await suggestionsOf(page).getByRole('button', { name: 'Run again' }).press('Enter');
  await page.getByRole('dialog', { name: 'Run again' }).getByText('Secreto: type it again').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const links = suggestionsOf(page).getByRole('link');
  await suggestionsOf(page)
    .getByRole('link', { name: /^Agents of / })
    .waitFor();
  await page.getByText('Agent', { exact: true }).waitFor();
  const targets = (await links.all()).map((link) => link.getAttribute('href'));
  expect(await Promise.all(targets)).toEqual([
    `/processes/${process.processID}/flow?step=Send+to+the+bank`,
    `/runs?process=${process.processID}&status=error`,
    `/environments/${environment.environmentID}`,
  ]);
  expect(await page.content()).not.toContain(SECRET);
  await expectReadableOnPhone(page);
  await links.first().press('Enter');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).waitFor();
  expect(await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Send to the bank');
  await page.goto(page.url().replace('Send+to+the+bank', 'Removed'));
  await untilNotified(page, 'This flow has no step Removed any more');
});

test('the page of a failed run suggests nothing for which the account lacks the permission', async () => {
  const { open, stack } = web();
  const { owner, process } = await makeFailedRun();
  const guest = await makeOwner(stack);
  const share = `/processes/${process.processID}/shares/${encodeURIComponent(guest.email)}`;
  const none = { execute: false, edit: false, schedule: false, api: false, share: false, delete: false };
  await owner.manage('PUT', share, { ...none, execute: true });
  const body = { matrix: { token: SECRET } };
  const instanceID = instanceOf(await guest.tryToManage('POST', `/processes/${process.processID}/run`, body));
  await untilEnded(guest, instanceID);
  const page = await open(`/runs/${instanceID}`, { as: guest, language: 'en' });
  const buttons = suggestionsOf(page).getByRole('button');
  await suggestionsOf(page).getByRole('button', { name: 'Run again' }).waitFor();
  await page.getByText('Removed or out of your reach').waitFor();
  expect(await suggestionsOf(page).getByRole('link').allInnerTexts()).toEqual(['Failed runs of this process']);
  await owner.manage('PUT', share, { ...none, schedule: true });
  await Promise.all([
    page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(`/processes/${process.processID}`)),
    page.reload(),
  ]);
  await suggestionsOf(page).getByRole('button', { name: 'Go to the line in the log' }).waitFor();
  await page.getByText('Removed or out of your reach').waitFor();
  await untilSettled(page);
  expect(await buttons.allInnerTexts()).toEqual(['Go to the line in the log', 'Copy for support']);
  expect(await page.getByText('Agent', { exact: true }).count()).toBe(0);
});

test('the page of a run that was stopped in the queue says that nothing was done', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const process = await makeProcess(stack, { owner });
  const instanceID = instanceOf(await process.start());
  await owner.manage('POST', `/instances/${instanceID}/stop`);
  await untilEnded(owner, instanceID);
  const page = await open(`/runs/${instanceID}`, { as: owner, language: 'en' });
  const ending = page.getByRole('region', { name: 'The run was stopped before it began' });
  await ending.getByText('no step was done').waitFor();
  await ending.getByRole('link', { name: 'History of the process' }).waitFor();
  expect(await ending.getByRole('button', { name: 'Go to the line in the log' }).count()).toBe(0);
  await expectReadable(page);
});
