import * as s from '../../support/shape';
import { makeEnvironment, makeOwner, makeProcess, type Owner } from '../support/tenants/factories';
import { instanceOf, untilEnded } from '../support/tenants/instances';
import { makeOrigin } from '../support/webhooks/webhooks';
import {
  allowChanges,
  REFUSAL_REQUEST_ID,
  press,
  refuseChanges,
  REFUSALS,
  makeSubmitAfterRefusal,
} from './support/refusals';
import { field, untilNotified, useWebWorld } from './support/web-world';

const web = useWebWorld();

const idShape = s.object({ id: s.text() });
/** An address to which the stack may send events, and at which nothing listens. */
const ADDRESS = 'http://127.0.0.1:2';
const SUBSCRIPTION = { url: `${ADDRESS}/events`, events: ['instance.error'] };
const FIRST_PASSWORD = 'a first password';
const FLOW = { start: 'A', steps: [{ name: 'A', type: 'variables' as const }] };

type EditedObjects = Awaited<ReturnType<typeof makeEditedObjects>>;

/** One object of each kind that the console can change in a form, in the company of an administrator. */
async function makeEditedObjects(owner: Owner) {
  const { stack } = web();
  const environment = await makeEnvironment(stack, { owner, name: 'Plant' });
  const matrix = [{ name: 'pin', type: 'Secreto' }];
  const process = await makeProcess(stack, { owner, environment, matrix, flow: FLOW, processName: 'Orders' });
  const origin = await makeOrigin(process, { name: 'Shop' });
  const draft = { name: 'Every day', cronExpression: '0 8 * * *', matrix: {} };
  const made = await owner.manage('POST', `/processes/${process.processID}/schedules`, draft);
  const subscription = await owner.manage('POST', '/company/event-subscriptions', SUBSCRIPTION);
  const [schedule, events] = [idShape.parse(made).id, idShape.parse(subscription).id];
  return { environment, process, origin, schedule, events };
}

test('each form that changes something keeps what was typed when the API answers RATE_LIMITED', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const { environment, process, origin, schedule, events } = await makeEditedObjects(owner);
  const page = await open(`/processes/${process.processID}`, { as: owner, language: 'en' });
  const submit = makeSubmitAfterRefusal(page, REFUSALS.tooManyCalls);
  const dialog = page.getByRole('dialog');
  const go = async (path: string, button?: string) => {
    await page.goto(path);
    if (button !== undefined) await page.getByRole('button', { name: button, exact: true }).first().click();
  };

  await press(page, 'Edit');
  await submit(dialog, 'Save', {
    Name: 'Orders of today',
    Description: 'two\nlines',
    'Cost of a person per hour': '12',
  });
  await page.getByRole('heading', { level: 1, name: 'Orders of today' }).waitFor();
  await go(`/environments/${environment.environmentID}`, 'Edit');
  await submit(dialog, 'Save', { Name: 'Plant 2', Description: 'two\nlines' });
  await page.getByRole('heading', { level: 1, name: 'Plant 2' }).waitFor();
  await go(`/processes/${process.processID}/webhooks/${origin.id}`, 'Edit');
  await dialog.getByLabel('Signature').selectOption('set');
  await submit(dialog, 'Save', { Name: 'Store', 'Header of the signature': 'X-Sign', 'Shared secret': 'typed once' });
  await page.getByRole('heading', { level: 1, name: 'Store' }).waitFor();
  await go(`/schedules/${schedule}`, 'Edit');
  await field(dialog, 'Repeats').selectOption('Other, by the expression');
  await submit(dialog, 'Save', { Name: 'Each evening', Expression: '30 18 * * *' });
  await page.getByRole('heading', { level: 1, name: 'Each evening' }).waitFor();
  const saved = await owner.manage('GET', `/schedules/${schedule}`);
  expect(saved).toMatchObject({ name: 'Each evening', cronExpression: '30 18 * * *' });
  await go('/company/events', 'New subscription');
  await submit(dialog, 'Create', { Address: `${ADDRESS}/other` });
  await press(dialog, 'I have kept the secret');
  await go(`/company/events/${events}`, 'Edit');
  await submit(dialog, 'Save', { Address: `${ADDRESS}/crm` });
  await page.getByText(`${ADDRESS}/crm`, { exact: true }).waitFor();
  await go('/account', 'New credential');
  await submit(dialog, 'Create', { Label: 'ERP', Expires: '2099-01-31T08:00' });
  await dialog.getByLabel('Credential', { exact: true }).last().waitFor();
  await press(dialog, 'Close');
  const changed = 'another password';
  await submit(page, 'Change the password', {
    'Current password': owner.password,
    'New password': changed,
    'New password again': changed,
  });
  await page.getByText('The password has been changed.').waitFor();

  const run = instanceOf(await process.start({ pin: '1234' }));
  await owner.client.instance(run).stop();
  await untilEnded(owner, run);
  await go(`/runs/${run}`, 'Run again');
  await submit(dialog, 'Run', { pin: 'typed once' });
  await page.waitForURL((url) => !url.pathname.endsWith(run));
});

test('each form of the operator keeps what was typed when the API is unavailable', async () => {
  const { open, stack } = web();
  const { company } = await makeOwner(stack);
  const page = await open('/operator', { as: stack.operator, language: 'en' });
  const submit = makeSubmitAfterRefusal(page);
  const dialog = page.getByRole('dialog');
  const name = `Company ${company.companyID}`;

  await press(page, 'New plan');
  const numbers = { 'Credits a month': '77', 'Days that the ledger is kept': '365' };
  await submit(dialog, 'Add', { Name: `Plan of ${name}`, ...numbers });
  const plan = page.getByRole('row').filter({ hasText: `Plan of ${name}` });
  await plan.getByRole('button', { name: /^Change: / }).click();
  await submit(dialog, 'Save', { 'Days that the audit trail is kept': '90' }, { asks: true });
  await plan.getByText('90', { exact: true }).waitFor();
  await press(page, 'New company');
  await field(dialog, 'Plan').selectOption({ label: `Plan of ${name}` });
  await submit(dialog, 'Add', { Name: name });
  await press(page, `Correct credits: ${name}`);
  await submit(dialog, 'Correct', { Credits: '5', Reason: 'a present' }, { asks: true });
  await untilNotified(page, 'The company has 82 credits now.');
  await press(page, `New person: ${name}`);
  const email = `${company.companyID}@test.batuta.local`;
  await submit(dialog, 'Add', { Name: 'Bia', 'E-mail': email, 'First password': FIRST_PASSWORD });
  await untilNotified(page, 'The person can log in now.');
  const data = { email, password: FIRST_PASSWORD };
  expect((await page.context().request.post('/manage/v1/session', { data })).status()).toBe(201);
});

test('a debug run that cannot save its flow keeps the typed values', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const environment = await makeEnvironment(stack, { owner });
  const matrix = [{ name: 'pin', type: 'Secreto' }];
  const { processID } = await makeProcess(stack, { owner, environment, matrix, flow: FLOW });
  const page = await open(`/processes/${processID}/flow`, { as: owner, language: 'en' });
  await page.locator('.react-flow__node').first().click();
  await press(page, 'Duplicate');
  await press(page, 'Debug run');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('pin').fill('typed once');
  await refuseChanges(page);
  await press(dialog, 'Run');
  await page.getByRole('alert').filter({ hasText: REFUSAL_REQUEST_ID }).first().waitFor();
  expect(await dialog.getByLabel('pin').inputValue()).toBe('typed once');
  await allowChanges(page);
  await press(dialog, 'Run');
  await page.getByRole('region', { name: 'Debug run' }).getByText('queued').waitFor();
});

test('the user logs in over the form when the session ends during a change of the password, and the change is saved', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const page = await open('/account', { as: owner, language: 'en' });
  const changed = 'another password';
  await field(page, 'Current password').fill(owner.password);
  for (const label of ['New password', 'New password again']) await field(page, label).fill(changed);
  await page.context().clearCookies();
  await press(page, 'Change the password');
  const dialog = page.getByRole('dialog', { name: 'Log in again' });
  await field(dialog, 'Password').fill(owner.password);
  await press(dialog, 'Log in');
  await page.getByText('The password has been changed.').waitFor();
  const { email } = owner;
  const answer = await page.context().request.post('/manage/v1/session', { data: { email, password: changed } });
  expect(answer.status()).toBe(201);
});

interface Edit {
  /** The page of the object, and the button that opens its form. */
  path: string;
  button: string;
  /** The label of the field that both windows change. */
  label: string;
  /** The changes that the other window saves: first of another field, then of the same field. */
  other: object;
  same: object;
  /** The text in which the form shows the value that the other window has saved. */
  theirs: string;
  /** The path of the management API by which the other window saves. */
  route: string;
  /** Reads the saved object. */
  read: () => Promise<unknown>;
}

const environmentsShape = s.object({ environments: s.list(s.object({ environmentID: s.text() })) });
const originsShape = s.object({ origins: s.list(idShape) });

/** The forms, each with the changes that another window saves while it is open. */
function editsOf(
  owner: Owner,
  { environment, process, origin, schedule, events }: EditedObjects,
): Record<string, Edit> {
  const { environmentID } = environment;
  const paths = {
    process: `/processes/${process.processID}`,
    schedule: `/schedules/${schedule}`,
    events: `/company/event-subscriptions/${events}`,
    origins: `/processes/${process.processID}/origins`,
  };
  const named = { label: 'Name', theirs: 'Name: Theirs' };
  return {
    process: {
      ...named,
      path: paths.process,
      button: 'Edit',
      other: { avgHumanTime: '00:33:00' },
      same: { processName: 'Theirs' },
      route: paths.process,
      read: () => owner.manage('GET', paths.process),
    },
    environment: {
      ...named,
      path: `/environments/${environmentID}`,
      button: 'Edit',
      other: { capacity: 33 },
      same: { name: 'Theirs' },
      route: `/environments/${environmentID}`,
      read: async () => {
        const { environments } = environmentsShape.parse(await owner.manage('GET', '/environments'));
        return environments.find((one) => one.environmentID === environmentID);
      },
    },
    origin: {
      ...named,
      path: `/processes/${process.processID}/webhooks/${origin.id}`,
      button: 'Edit',
      other: { responseMode: 'Aguardar', waitSeconds: 33 },
      same: { name: 'Theirs' },
      route: `/origins/${origin.id}`,
      read: async () => originsShape.parse(await owner.manage('GET', paths.origins)).origins[0],
    },
    schedule: {
      ...named,
      path: paths.schedule,
      button: 'Edit',
      other: { cronExpression: '33 3 * * *' },
      same: { name: 'Theirs' },
      route: paths.schedule,
      read: () => owner.manage('GET', paths.schedule),
    },
    'event subscription': {
      path: `/company/events/${events}`,
      button: 'Edit',
      label: 'Address',
      other: { events: ['instance.stopped'] },
      same: { url: `${ADDRESS}/theirs` },
      theirs: `Address: ${ADDRESS}/theirs`,
      route: paths.events,
      read: () => owner.manage('GET', paths.events),
    },
  };
}

test('a form saves only the changed fields, and shows a conflict before it replaces what another window saved in the same field', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const edits = editsOf(owner, await makeEditedObjects(owner));
  const page = await open('/account', { as: owner, language: 'en' });
  const dialog = page.getByRole('dialog');
  for (const [kind, { path, button, label, other, same, theirs, route, read }] of Object.entries(edits)) {
    const edit = async (text: string, meanwhile: object) => {
      await page.getByRole('button', { name: button, exact: true }).first().click();
      await field(dialog, label).fill(text);
      await owner.manage('PATCH', route, meanwhile);
      await press(dialog, 'Save');
    };
    const [mine, again] = [`${ADDRESS}/mine`, `${ADDRESS}/mine-again`];

    await page.goto(path);
    await edit(mine, other);
    await dialog.waitFor({ state: 'detached' });
    expect({ kind, saved: await read() }).toMatchObject({ kind, saved: other });
    expect(JSON.stringify(await read())).toContain(mine);

    await edit(again, same);
    const alert = page.getByRole('alert').filter({ hasText: 'Somebody else has changed this meanwhile' });
    await alert.getByText(theirs).waitFor();
    expect(await field(dialog, label).inputValue()).toBe(again);
    expect({ kind, saved: await read() }).toMatchObject({ kind, saved: same });
    await press(dialog, 'Save');
    await dialog.waitFor({ state: 'detached' });
    expect(JSON.stringify(await read())).toContain(again);
  }
});
