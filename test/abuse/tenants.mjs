import { HttpClient } from './http-client.mjs';
import { ACCOUNTS, ACCOUNT_COUNT, logInOperator, makeTarget, makeTenant } from './world.mjs';

/** Number of copies of its queued instance that a trick gets before the attack begins; the `SHORT_` ones are for a short run. */
const QUEUED = { queues: 100_000, positions: 5_000 };
const SHORT_QUEUED = { queues: 2_000, positions: 300 };
/** Tricks that need one process of the owner, in an environment of its own with the usual settings. */
const TRICKS_OF_OWNER = ['logs', 'claims', 'starts', 'frames', 'firing', 'pictures', 'unread', 'webhooks'];

/** The neighbour and the hostile tenant, with what both would have anyway: environments, processes and credentials. */
export async function makeTenants({ settings }, services, { short }) {
  const http = new HttpClient({ from: '127.0.0.1' });
  const [gateway, console, router] = ['gateway', 'console', 'router'].map((name) => services[name].url);
  const operator = { email: settings.OPERATOR_EMAIL, password: settings.OPERATOR_PASSWORD };
  const callAsOperator = await logInOperator({ http, console, operator });
  const neighbourTenant = await makeTenant({ http, console, callAsOperator, name: 'Neighbour' });
  const hostile = await makeTenant({ http, console, callAsOperator, name: 'Hostile', accounts: ACCOUNT_COUNT });
  const process = await makeTarget(neighbourTenant);
  const { targets, queuedFirst } = await makeTargets(hostile);
  for (const { target, credential } of queuedFirst) {
    const headers = { 'X-Process-Key': target.processKey };
    const url = `${gateway}/v1/processes/${target.processID}/start`;
    await http.expect('POST', url, { bearer: credential, headers, body: {} });
  }
  http.close();
  const { accounts, credential } = hostile;
  return {
    neighbour: {
      gateway,
      console,
      credential: neighbourTenant.credential,
      token: neighbourTenant.accounts[0].token,
      process,
    },
    hostile: {
      gateway,
      console,
      router,
      tenant: { accounts, credential },
      targets,
      queued: short ? SHORT_QUEUED : QUEUED,
    },
  };
}

/** `targets` = the process of each trick; `queuedFirst` = those of them that get one queued instance, which `copyQueued` then copies. */
async function makeTargets(tenant) {
  const targets = {};
  for (const name of TRICKS_OF_OWNER) targets[name] = await makeTarget(tenant);
  targets.queues = await makeTarget(tenant, { cancelQueueOnException: true, capacity: 1 });
  targets.controls = await makeTarget(tenant, { cancelQueueOnException: true });
  const queuer = tenant.accounts[ACCOUNTS.queuer];
  targets.positions = await makeTarget(tenant.managedBy(queuer));
  for (const index of ACCOUNTS.writers) {
    targets[`writes ${index}`] = await makeTarget(tenant.managedBy(tenant.accounts[index]));
  }
  const queuedFirst = [
    { target: targets.queues, credential: tenant.credential },
    { target: targets.positions, credential: queuer.credential },
  ];
  return { targets, queuedFirst };
}
