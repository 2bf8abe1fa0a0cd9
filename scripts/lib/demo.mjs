import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { DEMO_FLOW, DEMO_PROCESS, demoMatrix } from './demo-process.mjs';
import { seedDemoWebhooks } from './demo-webhooks.mjs';
import { createClient, RefusedRequest } from './http.mjs';
import { readLocal, writeLocal } from './local-files.mjs';

const DEMO_PLAN = {
  name: 'Demo',
  apiAccess: true,
  scheduling: true,
  monthlyCredits: 10_000,
  logRetentionDays: 30,
  requestsPerMinute: 600,
};
const DEMO_COMPANY = 'Batuta demo';
const DEMO_ENVIRONMENT = {
  name: 'Demo machine',
  description: 'The agent that npm start runs on this machine',
  os: 'linux',
  envType: 'prod',
  offlineFlow: true,
  cancelQueueOnException: false,
  capacity: 5,
};
const DEMO_ORDERS_URL_PATTERN = /^http:\/\/127\.0\.0\.1:\d+\/orders$/;
const AGENT_ONLINE_TIME_LIMIT_MS = 30_000;
const HANDSHAKE_TIME_LIMIT_MS = 15_000;
const KEY_CHECK_INTERVAL_MS = 5_000;

/**
 * Creates the demo over HTTP (company, owner, environment, processes, keys) and writes `.local/demo.json`. Parts that exist already are used again,
 * so that the next run completes the work of a run that was killed. Returns the content of the file and the activation key for the agent.
 */
export async function seedDemo({ gateway, console, router, operator, owner, orderToken, ordersUrl, say }) {
  const settings = { gateway, console, router, operator, owner, orderToken };
  const manage = await logInOwner({ console, operator, owner });
  const known = await readLocal('demo.json');
  const agent = await readLocal('agent.json');
  if (known && agent && (await demoStillWorks({ ...known, gateway }))) {
    await putMatrix(manage, known.processID, ordersUrl);
    const urls = await seedDemoWebhooks(manage, known.environmentID);
    const demo = { ...known, ...settings, ...urls };
    await writeLocal('demo.json', demo);
    return { demo, activationKey: await workingActivationKey({ manage, router, agent, say }) };
  }
  const { environmentID, activationKey } = await makeEnvironment(manage);
  const processID = await makeProcess(manage, environmentID, ordersUrl);
  const credential = await manage('POST', '/credentials', { label: 'Demo' });
  const processKey = await manage('POST', `/processes/${processID}/keys`, { identifier: 'demo' });
  const urls = await seedDemoWebhooks(manage, environmentID);
  const keys = { credential: credential.value, processID, processKey: processKey.value, environmentID };
  const demo = { ...settings, ...keys, ...urls };
  await writeLocal('agent.json', { environmentID, activationKey });
  await writeLocal('demo.json', demo);
  return { demo, activationKey };
}

/** Resolves when the gateway shows the demo's environment online; rejects after AGENT_ONLINE_TIME_LIMIT_MS. */
export async function untilAgentIsOnline(demo) {
  const deadline = Date.now() + AGENT_ONLINE_TIME_LIMIT_MS;
  while (!(await isOnline(demo))) {
    if (Date.now() > deadline) throw new Error('the agent did not get online, see .local/agent.log');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Resolves when the agent of the demo is offline and the router refuses its activation key. */
export async function untilKeyIsRefused(demo, activationKey) {
  const isRefused = async () => !(await isOnline(demo)) && !(await isKnownTo(demo.router, activationKey));
  // Services that stop or are busy do not answer, which says nothing about the key.
  while (!(await isRefused().catch(() => false)))
    await new Promise((resolve) => setTimeout(resolve, KEY_CHECK_INTERVAL_MS));
}

async function isOnline({ gateway, credential, environmentID }) {
  const call = createClient(`${gateway}/v1`, { authorization: `Bearer ${credential}` });
  const { environments } = await call('GET', '/environments');
  return environments.some((one) => one.environmentID === environmentID && one.online);
}

/** False when somebody has removed a part of the demo, such as its environment, since the last run. */
async function demoStillWorks({ gateway, credential, processID, processKey, environmentID }) {
  const call = createClient(`${gateway}/v1`, { authorization: `Bearer ${credential}`, 'x-process-key': processKey });
  try {
    const { currentVersion } = await call('GET', `/processes/${processID}`);
    const { environments } = await call('GET', '/environments');
    return currentVersion > 0 && environments.some((one) => one.environmentID === environmentID);
  } catch (error) {
    if (error instanceof RefusedRequest && error.status < 500) return false;
    throw error;
  }
}

/** The activation key of the agent; another one when somebody has rotated it since the last run. */
async function workingActivationKey({ manage, router, agent: { environmentID, activationKey }, say }) {
  if (await isKnownTo(router, activationKey)) return activationKey;
  say("Somebody has rotated the key of the demo's environment: rotating it again, for the agent that runs here …");
  const rotated = await manage('POST', `/environments/${environmentID}/rotate-key`);
  await writeLocal('agent.json', { environmentID, activationKey: rotated.activationKey });
  return rotated.activationKey;
}

/** False when the router refuses the activation key (401). Every other answer, such as that of a full router, says nothing against the key. */
function isKnownTo(router, activationKey) {
  const headers = {
    authorization: `Bearer ${activationKey}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${router}/agent/v1`, { headers, timeout: HANDSHAKE_TIME_LIMIT_MS });
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      resolve(true);
    });
    request.once('response', (response) => {
      response.on('error', reject).resume();
      resolve(response.statusCode !== 401);
    });
    request.once('timeout', () => request.destroy(new Error('the router does not answer')));
    request.on('error', reject).end();
  });
}

/** Returns a function for calls as the owner of the demo; the first run creates the company and the account. */
async function logInOwner({ console, operator, owner }) {
  const base = `${console}/manage/v1`;
  const logIn = async (who) => {
    const { token } = await createClient(base)('POST', '/session', who);
    return createClient(base, { authorization: `Bearer ${token}` });
  };
  try {
    return await logIn(owner);
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.status >= 500) throw error;
  }
  const callAsOperator = await logIn(operator);
  const planId = await findOrMake(callAsOperator, '/plans', 'plans', DEMO_PLAN);
  const companyId = await findOrMake(callAsOperator, '/companies', 'companies', { name: DEMO_COMPANY, planId });
  await callAsOperator('POST', `/companies/${companyId}/accounts`, {
    ...owner,
    name: 'Demo owner',
    role: 'administrator',
  });
  return logIn(owner);
}

async function findOrMake(call, path, list, wanted) {
  const found = (await call('GET', path))[list].find(({ name }) => name === wanted.name);
  return (found ?? (await call('POST', path, wanted))).id;
}

async function makeEnvironment(manage) {
  const { environments } = await manage('GET', '/environments');
  const found = environments.find(({ name }) => name === DEMO_ENVIRONMENT.name);
  if (!found) return manage('POST', '/environments', DEMO_ENVIRONMENT);
  const { activationKey } = await manage('POST', `/environments/${found.environmentID}/rotate-key`);
  return { environmentID: found.environmentID, activationKey };
}

async function makeProcess(manage, environmentID, ordersUrl) {
  const { processes } = await manage('GET', '/processes');
  const found = processes.find(({ processName }) => processName === DEMO_PROCESS.processName);
  const registration = { ...DEMO_PROCESS, environmentID, matrix: demoMatrix(ordersUrl) };
  const { processID } = found ?? (await manage('POST', '/processes', registration));
  await putMatrix(manage, processID, ordersUrl);
  await manage('PATCH', `/processes/${processID}`, { environmentID, apiPermission: 'LIBERADO' });
  const { problems } = await manage('PUT', `/processes/${processID}/flow`, DEMO_FLOW);
  if (problems.length > 0) throw new Error(`the demo's flow is refused: ${JSON.stringify(problems)}`);
  await manage('POST', `/processes/${processID}/publish`);
  return processID;
}

/** Updates the URL of the orders system, whose port may have changed; a value that the owner set stays. */
async function putMatrix(manage, processID, ordersUrl) {
  const { matrix } = await manage('GET', `/processes/${processID}/matrix`);
  const wanted = matrix.map((item) =>
    item.name === 'ordersUrl' && DEMO_ORDERS_URL_PATTERN.test(item.default) ? { ...item, default: ordersUrl } : item,
  );
  if (!isDeepStrictEqual(matrix, wanted)) await manage('PUT', `/processes/${processID}/matrix`, { matrix: wanted });
}
