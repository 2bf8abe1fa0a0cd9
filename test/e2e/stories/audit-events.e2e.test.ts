import { MANAGEMENT_ACTIONS } from '@batuta/audit';
import type { Store } from '@batuta/database';
import { randomUUID } from 'node:crypto';
import { readDocument } from '../../fuzz/openapi-document';
import * as s from '../../support/shape';
import { call, type Method } from '../support/tenants/api';
import { openTestStore } from '../support/stack/database';
import { EMPTY_FLOW, makeOwner, makeProcess, type Owner, type Process } from '../support/tenants/factories';
import { startStack } from '../support/stack/in-process-stack';
import type { Stack } from '../support/stack/stack';
import { captureIDOf, makeOrigin, sendEvent } from '../support/webhooks/webhooks';

// Every route that changes something leaves an audit event. The routes come from the OpenAPI documents, so that a new one is not
// forgotten.

const CHANGES_NOTHING = 'it changes nothing';
const IN_PROCESS_TRAIL = 'the audit trail of the process records it in the transaction of the instance';

/** The routes that leave no audit event, with the reason. */
const UNRECORDED: Record<string, string> = {
  'POST /manage/v1/processes/{pid}/flow/check': CHANGES_NOTHING,
  'POST /manage/v1/processes/{pid}/dry-run': CHANGES_NOTHING,
  'POST /manage/v1/schedules/preview': CHANGES_NOTHING,
  'POST /manage/v1/company/event-subscriptions/{id}/test': CHANGES_NOTHING,
  'POST /manage/v1/processes/{pid}/run': IN_PROCESS_TRAIL,
  'POST /manage/v1/processes/{pid}/debug': IN_PROCESS_TRAIL,
  'POST /manage/v1/instances/{iid}/rerun': IN_PROCESS_TRAIL,
  'POST /manage/v1/instances/{iid}/{action}': IN_PROCESS_TRAIL,
  'POST /manage/v1/captures/{id}/debug': IN_PROCESS_TRAIL,
  'POST /manage/v1/captures/{id}/replay': IN_PROCESS_TRAIL,
};
const PASSWORD = 'correct horse battery';
/** Values, or their beginnings, that no event may contain. */
const SECRETS = [PASSWORD, 'a secret of the vault', 'a secret of the signature', 'whsec_', 'a-token-in-an-address'];
/** Actions that share their route with another action, which is the one that this test performs. */
const OTHER_ACTIONS = ['account.unblock'];

const BASE = '/manage/v1';

const idBody = s.object({ id: s.text() });
const tokenBody = s.object({ token: s.text() });
const environmentBody = s.object({ environmentID: s.text() });
const processBody = s.object({ processID: s.text() });
const accountBody = s.object({ accountID: s.text() });
const eventRow = s.object({ action: s.text(), address: s.text(), account_id: s.text() });

let stack: Stack;
let store: Store;

beforeAll(async () => {
  stack = await startStack({ env: { EVENT_ALLOW_HOSTS: '127.0.0.1' } });
  store = await openTestStore(stack.env.DATABASE_URL ?? '');
});

afterAll(async () => {
  await store?.close();
  await stack?.stop();
});

/** Route → the action of the event that its call has left. */
const recorded = new Map<string, string>();

interface Sent {
  bearer?: string;
  processKey?: string;
  body?: unknown;
}

/** Makes a call that must succeed, and that leaves exactly one event with its request id, its sender and no secret. */
async function expectEvent(method: Method, route: string, path: string, sent: Sent = {}): Promise<unknown> {
  const name = `${method} ${route}`;
  const base = route.startsWith('/manage/') ? stack.console : stack.gateway;
  const requestID = randomUUID();
  const headers = { 'x-request-id': requestID };
  const { status, body } = await call(method, `${base}${path}`, { ...sent, headers, once: true });
  if (status > 299) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
  const rows = await store.rows('SELECT * FROM management_event WHERE request_id = ?', [requestID]);
  expect([name, rows.length]).toEqual([name, 1]);
  const { action, address, account_id } = eventRow.parse(rows[0]);
  expect([name, address, account_id]).toEqual([name, '127.0.0.1', expect.any(String)]);
  for (const secret of SECRETS) expect(JSON.stringify(rows)).not.toContain(secret);
  recorded.set(name, action);
  return body;
}

test('every route that changes something leaves an audit event, or is listed in this test with the reason why not', async () => {
  const owner = await makeOwner(stack, { role: 'administrator' });
  await callOperatorRoutes(owner);
  await callAccountRoutes(owner);
  await callProcessRoutes(owner);
  await callSubscriptionRoutes(owner);
  const changing = [
    ...readDocument('console.json').operations,
    ...readDocument('gateway.json').operations.filter(({ path }) => path.startsWith('/v1/schedules')),
  ].filter(({ method }) => method.toUpperCase() !== 'GET');
  const known = [...recorded.keys(), ...Object.keys(UNRECORDED)];
  expect(known.toSorted()).toEqual(changing.map(({ name }) => name).toSorted());
  const actions = new Set([...recorded.values(), ...OTHER_ACTIONS]);
  expect([...actions].toSorted()).toEqual([...MANAGEMENT_ACTIONS].toSorted());
});

async function callOperatorRoutes({ company }: Owner): Promise<void> {
  const login = await expectEvent('POST', `${BASE}/session`, `${BASE}/session`, { body: stack.operator });
  const bearer = tokenBody.parse(login).token;
  const limits = { monthlyCredits: 5, logRetentionDays: 30, requestsPerMinute: 600 };
  const plan = { name: randomUUID(), apiAccess: true, scheduling: true, ...limits };
  const planID = idBody.parse(await expectEvent('POST', `${BASE}/plans`, `${BASE}/plans`, { bearer, body: plan })).id;
  await expectEvent('PATCH', `${BASE}/plans/{id}`, `${BASE}/plans/${planID}`, { bearer, body: { monthlyCredits: 6 } });
  const added = { bearer, body: { name: 'New', planId: planID } };
  await expectEvent('POST', `${BASE}/companies`, `${BASE}/companies`, added);
  const ofCompany = `${BASE}/companies/${company.companyID}`;
  await expectEvent('PATCH', `${BASE}/companies/{id}`, ofCompany, { bearer, body: { suspended: false } });
  const correction = { bearer, body: { id: randomUUID(), how: 'add', amount: 5, reason: 'Goodwill' } };
  await expectEvent('POST', `${BASE}/companies/{id}/credits`, `${ofCompany}/credits`, correction);
  const email = `${randomUUID()}@test.batuta.local`;
  const account = { email, name: 'Bia', password: PASSWORD, role: 'member' };
  const route = `${BASE}/companies/{id}/accounts`;
  const { id } = idBody.parse(await expectEvent('POST', route, `${ofCompany}/accounts`, { bearer, body: account }));
  const emailChange = { bearer, body: { email: `x${email}` } };
  await expectEvent('PUT', `${BASE}/accounts/{id}/email`, `${BASE}/accounts/${id}/email`, emailChange);
  await expectEvent('POST', `${BASE}/accounts/{id}/password-reset`, `${BASE}/accounts/${id}/password-reset`, {
    bearer,
  });
}

async function callAccountRoutes({ email, password, company }: Owner): Promise<void> {
  const logIn = { body: { email, password } };
  const bearer = tokenBody.parse(await expectEvent('POST', `${BASE}/session`, `${BASE}/session`, logIn)).token;
  const other = await makeOwner(stack, { company });
  const { accountID } = accountBody.parse(await other.manage('GET', '/me'));
  const blocking = { bearer, body: { blocked: true } };
  await expectEvent('PATCH', `${BASE}/accounts/{id}`, `${BASE}/accounts/${accountID}`, blocking);
  const credential = { bearer, body: { label: 'ERP' } };
  const { id } = idBody.parse(await expectEvent('POST', `${BASE}/credentials`, `${BASE}/credentials`, credential));
  await expectEvent('DELETE', `${BASE}/credentials/{id}`, `${BASE}/credentials/${id}`, { bearer });
  const secret = { bearer, body: { value: 'a secret of the vault' } };
  await expectEvent('PUT', `${BASE}/vault/{key}`, `${BASE}/vault/TOKEN`, secret);
  await expectEvent('DELETE', `${BASE}/vault/{key}`, `${BASE}/vault/TOKEN`, { bearer });
  const room = { bearer, body: { name: 'Robots' } };
  const made = await expectEvent('POST', `${BASE}/environments`, `${BASE}/environments`, room);
  const environment = `${BASE}/environments/${environmentBody.parse(made).environmentID}`;
  await expectEvent('PATCH', `${BASE}/environments/{id}`, environment, { bearer, body: { capacity: 2 } });
  await expectEvent('POST', `${BASE}/environments/{id}/rotate-key`, `${environment}/rotate-key`, { bearer });
  await expectEvent('DELETE', `${BASE}/environments/{id}`, environment, { bearer });
  const change = { bearer, body: { currentPassword: password, newPassword: PASSWORD } };
  await expectEvent('PUT', `${BASE}/session/password`, `${BASE}/session/password`, change);
  await expectEvent('DELETE', `${BASE}/session`, `${BASE}/session`, { bearer });
}

async function callProcessRoutes(company: Owner): Promise<void> {
  const owner = await makeOwner(stack, { company: company.company });
  const process = await makeProcess(stack, { owner });
  const { processKey } = process;
  const body = { email: owner.email, password: owner.password };
  const bearer = tokenBody.parse(await expectEvent('POST', `${BASE}/session`, `${BASE}/session`, { body })).token;
  const made = { bearer, body: { processName: 'Orders' } };
  const pid = processBody.parse(await expectEvent('POST', `${BASE}/processes`, `${BASE}/processes`, made)).processID;
  const routeBelowProcess = (rest: string): [route: string, path: string] => [
    `${BASE}/processes/{pid}${rest}`,
    `${BASE}/processes/${pid}${rest}`,
  ];
  await expectEvent('PATCH', ...routeBelowProcess(''), { bearer, body: { paused: true } });
  await expectEvent('PUT', ...routeBelowProcess('/matrix'), {
    bearer,
    body: { matrix: [{ name: 'total', type: 'Moeda' }] },
  });
  await expectEvent('PUT', ...routeBelowProcess('/flow'), { bearer, body: EMPTY_FLOW });
  await expectEvent('POST', ...routeBelowProcess('/publish'), { bearer });
  await expectEvent('PUT', ...routeBelowProcess('/vault-keys'), { bearer, body: { keys: ['TOKEN'] } });
  const key = idBody.parse(
    await expectEvent('POST', ...routeBelowProcess('/keys'), { bearer, body: { identifier: 'erp' } }),
  );
  await expectEvent('DELETE', `${BASE}/keys/{id}`, `${BASE}/keys/${key.id}`, { bearer });
  const share = `${BASE}/processes/{pid}/shares/{email}`;
  const shared = `${BASE}/processes/${pid}/shares/guest@test.batuta.local`;
  await expectEvent('PUT', share, shared, { bearer, body: { execute: true } });
  await expectEvent('DELETE', share, shared, { bearer });
  await callWebhookRoutes(process, pid, bearer);
  const cron = { name: 'Yearly', cronExpression: '0 8 1 1 *' };
  const mine = idBody.parse(await expectEvent('POST', ...routeBelowProcess('/schedules'), { bearer, body: cron }));
  const renamed = { bearer, body: { name: 'Each year' } };
  await expectEvent('PATCH', `${BASE}/schedules/{id}`, `${BASE}/schedules/${mine.id}`, renamed);
  const off = { bearer, body: { active: false } };
  await expectEvent('PUT', `${BASE}/schedules/{id}/active`, `${BASE}/schedules/${mine.id}/active`, off);
  await expectEvent('DELETE', `${BASE}/schedules/{id}`, `${BASE}/schedules/${mine.id}`, { bearer });
  const api = { bearer: owner.credential };
  const wanted = { ...api, processKey, body: { ...cron, processID: process.processID, active: false } };
  const { id } = idBody.parse(await expectEvent('POST', '/v1/schedules', '/v1/schedules', wanted));
  const on = { ...api, body: { active: true } };
  await expectEvent('PATCH', '/v1/schedules/{id}', `/v1/schedules/${id}`, on);
  await expectEvent('DELETE', '/v1/schedules/{id}', `/v1/schedules/${id}`, api);
  await expectEvent('DELETE', ...routeBelowProcess(''), { bearer });
}

async function callWebhookRoutes(process: Process, pid: string, bearer: string): Promise<void> {
  const added = { bearer, body: { name: 'Shop' } };
  const path = `${BASE}/processes/${pid}/origins`;
  const { id } = idBody.parse(await expectEvent('POST', `${BASE}/processes/{pid}/origins`, path, added));
  const origin = `${BASE}/origins/${id}`;
  const signature = { header: 'X-Signature', secret: 'a secret of the signature', toleranceSeconds: null };
  await expectEvent('PATCH', `${BASE}/origins/{id}`, origin, { bearer, body: { signature } });
  await expectEvent('PUT', `${BASE}/origins/{id}/mapping/draft`, `${origin}/mapping/draft`, { bearer, body: [] });
  await expectEvent('POST', `${BASE}/origins/{id}/mapping/save`, `${origin}/mapping/save`, { bearer });
  await expectEvent('POST', `${BASE}/origins/{id}/rotate`, `${origin}/rotate`, { bearer, body: { url: 'dev' } });
  const capturing = await makeOrigin({ ...process, processID: pid });
  const captureID = captureIDOf(await sendEvent(capturing.devUrl, { total: 1 }));
  await expectEvent('DELETE', `${BASE}/captures/{id}`, `${BASE}/captures/${captureID}`, { bearer });
  await process.owner.manage('DELETE', `/origins/${capturing.id}`);
  await expectEvent('DELETE', `${BASE}/origins/{id}/captures`, `${origin}/captures`, { bearer });
  await expectEvent('DELETE', `${BASE}/origins/{id}`, origin, { bearer });
}

async function callSubscriptionRoutes({ company }: Owner): Promise<void> {
  const { email, password } = await makeOwner(stack, { company, role: 'administrator' });
  const logIn = { body: { email, password } };
  const bearer = tokenBody.parse(await expectEvent('POST', `${BASE}/session`, `${BASE}/session`, logIn)).token;
  const route = `${BASE}/company/event-subscriptions`;
  const draft = { url: 'http://127.0.0.1:2/a-token-in-an-address', events: ['instance.error'] };
  const { id } = idBody.parse(await expectEvent('POST', route, route, { bearer, body: draft }));
  const one = `${route}/${id}`;
  const more = { bearer, body: { events: ['instance.success'] } };
  await expectEvent('PATCH', `${route}/{id}`, one, more);
  await expectEvent('POST', `${route}/{id}/secret`, `${one}/secret`, { bearer });
  await expectEvent('POST', `${route}/{id}/deliveries/redeliver`, `${one}/deliveries/redeliver`, { bearer });
  const instance = `${one}/deliveries/${randomUUID()}/redeliver`;
  await expectEvent('POST', `${route}/{id}/deliveries/{iid}/redeliver`, instance, { bearer });
  await expectEvent('DELETE', `${route}/{id}`, one, { bearer });
}
