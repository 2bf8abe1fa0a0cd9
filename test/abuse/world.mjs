import { randomBytes, randomUUID } from 'node:crypto';

export const ONE_STEP_FLOW = { start: 'Only step', steps: [{ name: 'Only step', type: 'variables' }] };
const TENANT_PLAN = {
  apiAccess: true,
  scheduling: true,
  monthlyCredits: 10_000_000,
  logRetentionDays: 30,
  requestsPerMinute: 6_000,
};

/**
 * Indices of the hostile tenant's accounts, named after what their trick does: several accounts, so that the limits of one do not hold up
 * every trick. The owner has the processes of most tricks.
 */
export const ACCOUNTS = {
  owner: 0,
  guessed: 1,
  reader: 2,
  hoarder: 3,
  queuer: 4,
  changing: [5, 6, 7],
  writers: [8, 9, 10],
};
/** The number of indices in ACCOUNTS. */
export const ACCOUNT_COUNT = 11;

/** Logs the operator in. Returns a function that calls the management API as the operator and throws unless the call succeeds. */
export async function logInOperator({ http, console, operator }) {
  const { token } = await http.expect('POST', `${console}/manage/v1/session`, { body: operator });
  return (method, path, body) => http.expect(method, `${console}/manage/v1${path}`, { bearer: token, body });
}

/**
 * A company with `accounts` administrators, each logged in and with a credential. `manage` calls the management API as the first one and throws
 * unless the call succeeds; `managedBy(account)` has the `manage` of another one.
 */
export async function makeTenant({ http, console, callAsOperator, name, accounts = 1, plan = {} }) {
  const { id: planId } = await callAsOperator('POST', '/plans', {
    name: `${name} ${randomUUID()}`,
    ...TENANT_PLAN,
    ...plan,
  });
  const { id: companyID } = await callAsOperator('POST', '/companies', { name: `${name} ${randomUUID()}`, planId });
  const made = [];
  while (made.length < accounts) made.push(await makeAccount({ http, console, callAsOperator, companyID, name }));
  const managedBy = ({ token }) => ({
    manage: (method, path, body) => http.expect(method, `${console}/manage/v1${path}`, { bearer: token, body }),
  });
  return { companyID, accounts: made, credential: made[0].credential, managedBy, ...managedBy(made[0]) };
}

async function makeAccount({ http, console, callAsOperator, companyID, name }) {
  const email = `${randomUUID()}@abuse.batuta.local`;
  const password = randomBytes(12).toString('base64url');
  await callAsOperator('POST', `/companies/${companyID}/accounts`, { email, password, name, role: 'administrator' });
  const { token } = await http.expect('POST', `${console}/manage/v1/session`, { body: { email, password } });
  const { value: credential } = await http.expect('POST', `${console}/manage/v1/credentials`, {
    bearer: token,
    body: { label: 'ERP' },
  });
  return { email, password, token, credential };
}

export async function makeEnvironment({ manage }, settings = {}) {
  const usual = { name: `Plant ${randomUUID()}`, description: '', os: 'linux', envType: 'prod', capacity: 50 };
  return manage('POST', '/environments', { ...usual, offlineFlow: true, cancelQueueOnException: false, ...settings });
}

/** A published process with a process key, in the environment. */
export async function makeProcess({ manage }, environmentID) {
  const { processID } = await manage('POST', '/processes', {
    processName: `Orders ${randomUUID()}`,
    description: '',
    avgHumanTime: '00:10:00',
    avgOperatorCost: 30,
    environmentID,
    matrix: [
      { name: 'text', type: 'Texto', default: '' },
      { name: 'list', type: 'Lista', default: [] },
    ],
  });
  await manage('PATCH', `/processes/${processID}`, { apiPermission: 'LIBERADO' });
  await manage('PUT', `/processes/${processID}/flow`, ONE_STEP_FLOW);
  await manage('POST', `/processes/${processID}/publish`);
  const { value: processKey } = await manage('POST', `/processes/${processID}/keys`, { identifier: 'ERP' });
  return { processID, processKey, environmentID };
}

/** An environment and a process in it. */
export async function makeTarget(tenant, settings) {
  const { environmentID, activationKey } = await makeEnvironment(tenant, settings);
  return { activationKey, ...(await makeProcess(tenant, environmentID)) };
}
