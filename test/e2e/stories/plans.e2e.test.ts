import type { Store } from '@batuta/database';
import * as s from '../../support/shape';
import { waitUntil } from '../../support/wait-until';
import { call, type HttpAnswer } from '../support/tenants/api';
import { openTestStore } from '../support/stack/database';
import {
  callAsOperator,
  makeCompany,
  makeOwner,
  makeProcess,
  type Company,
  type Owner,
  type Process,
} from '../support/tenants/factories';
import { instanceOf } from '../support/tenants/instances';
import { startServiceProcesses, type ServiceProcessStack } from '../support/stack/stack';

// The features and limits of plans over HTTP, with two gateways.

const accountList = s.object({ accounts: s.list(s.object({ id: s.text(), email: s.text() })) });
const companyList = s.object({ companies: s.list(s.object({ id: s.text(), credits: s.number })) });
const instanceList = s.object({ instances: s.list(s.object({ instanceID: s.text(), status: s.text() })) });

let stack: ServiceProcessStack;
let store: Store;

beforeAll(async () => {
  stack = await startServiceProcesses({ replicas: 'together' });
  await stack.addReplica('gateway');
  store = await openTestStore(stack.databaseUrl);
});

afterAll(async () => {
  await store?.close();
  await stack?.stop();
});

const refusedWith = (status: number, code: string) => ({ status, body: { error: { code } } });
const REFUSED_INACTIVE = refusedWith(403, 'OWNER_INACTIVE');
const REFUSED_NO_CREDITS = refusedWith(402, 'INSUFFICIENT_CREDITS');

/** The credits of a company in the operator's list of companies. */
async function creditsOf({ companyID }: Company): Promise<number | undefined> {
  const { companies } = companyList.parse(await callAsOperator(stack, 'GET', '/companies?limit=500'));
  return companies.find(({ id }) => id === companyID)?.credits;
}

async function ledgerSumOf({ companyID }: Company): Promise<number> {
  const sum = await store.row<{ n: string | null }>('SELECT SUM(amount) AS n FROM credit_entry WHERE company_id = ?', [
    companyID,
  ]);
  return Number(sum?.n ?? 0);
}

async function countInstances({ owner, processID }: Process): Promise<number> {
  return instanceList.parse(await owner.manage('GET', `/processes/${processID}/instances`)).instances.length;
}

async function makeProcessOnPlan(plan: object): Promise<Process> {
  return makeProcess(stack, { owner: await makeOwner(stack, { company: await makeCompany(stack, { plan }) }) });
}

/** An account of another company with a share of the process and a process key. */
async function makeGuestOf({
  owner,
  processID,
  processKey,
}: Process): Promise<Owner & { start(): Promise<HttpAnswer> }> {
  const guest = await makeOwner(stack);
  await owner.manage('PUT', `/processes/${processID}/shares/${guest.email}`, { execute: true });
  return { ...guest, start: () => guest.api('POST', `/processes/${processID}/start`, { processKey }) };
}

const changeCompany = ({ companyID }: Company, change: object) =>
  callAsOperator(stack, 'PATCH', `/companies/${companyID}`, change);
const changePlan = ({ planID }: Company, change: object) => callAsOperator(stack, 'PATCH', `/plans/${planID}`, change);

describe('plan features', () => {
  test('API access ends with a downgrade on the next request and returns with an upgrade', async () => {
    const process = await makeProcessOnPlan({});
    const { company } = process.owner;
    const lesser = await makeCompany(stack, { plan: { apiAccess: false } });
    expect((await process.start()).status).toBe(202);
    await changeCompany(company, { planId: lesser.planID });
    const refused = await process.start();
    expect(refused).toMatchObject(refusedWith(402, 'PLAN_FEATURE_UNAVAILABLE'));
    expect(JSON.stringify(refused.body)).toContain('API access');
    expect(await process.owner.api('GET', '/me')).toMatchObject(refusedWith(402, 'PLAN_FEATURE_UNAVAILABLE'));
    expect((await process.owner.api('GET', '/ping')).status).toBe(200);
    expect(await countInstances(process)).toBe(1);
    await changeCompany(company, { planId: company.planID });
    expect((await process.start()).status).toBe(202);
  });

  test('API access depends on the plan of the caller and not on that of the owner', async () => {
    const process = await makeProcessOnPlan({ apiAccess: false });
    const guest = await makeGuestOf(process);
    expect((await guest.start()).status).toBe(202);
    expect(await process.start()).toMatchObject(refusedWith(402, 'PLAN_FEATURE_UNAVAILABLE'));
  });
});

test('scheduling depends on the plan of the owner and not on API access', async () => {
  const process = await makeProcessOnPlan({ scheduling: false, apiAccess: false });
  const { owner, processID, processKey } = process;
  const guest = await makeOwner(stack);
  await owner.manage('PUT', `/processes/${processID}/shares/${guest.email}`, { schedule: true });
  const body = { processID, name: 'Nightly', cronExpression: '0 3 * * *' };
  const make = () => guest.api('POST', '/schedules', { processKey, body });

  const refused = await make();
  expect(refused).toMatchObject(refusedWith(402, 'PLAN_FEATURE_UNAVAILABLE'));
  expect(JSON.stringify(refused.body)).toContain('scheduling');
  expect((await guest.api('GET', '/schedules')).body).toEqual({ schedules: [] });

  // API access depends on the caller's plan, so the owner's plan may lack it.
  await changePlan(owner.company, { scheduling: true });
  const { id } = s.object({ id: s.text() }).parse((await make()).body);
  await changePlan(owner.company, { scheduling: false });
  const change = (active: boolean) => guest.api('PATCH', `/schedules/${id}`, { body: { active } });
  expect((await guest.api('GET', '/schedules')).body).toMatchObject({
    schedules: [{ id, active: true, unavailable: 'OWNER_PLAN_NO_SCHEDULING' }],
  });
  expect(await change(false)).toMatchObject({ status: 200, body: { id, active: false } });
  expect(await change(true)).toMatchObject(refusedWith(402, 'PLAN_FEATURE_UNAVAILABLE'));
  expect(await guest.api('DELETE', `/schedules/${id}`)).toMatchObject({ status: 200, body: { ok: true } });
});

describe('inactive owners', () => {
  test('an owner whose company is suspended is refused everywhere except on ping, and its processes start for nobody', async () => {
    const process = await makeProcessOnPlan({});
    const { owner } = process;
    const guest = await makeGuestOf(process);
    const earlier = instanceOf(await guest.start());
    await changeCompany(owner.company, { suspended: true });
    for (const path of ['/me', '/environments', '/processes', `/instances/${earlier}`]) {
      expect(await owner.api('GET', path)).toMatchObject(REFUSED_INACTIVE);
    }
    expect((await owner.api('GET', '/ping')).status).toBe(200);
    expect(await guest.start()).toMatchObject(REFUSED_INACTIVE);
    expect((await guest.api('GET', `/instances/${earlier}`)).status).toBe(200);

    await changeCompany(owner.company, { suspended: false });
    expect(await countInstances(process)).toBe(1);
    expect([await creditsOf(owner.company), await ledgerSumOf(owner.company)]).toEqual([999, 999]);
    expect((await process.start()).status).toBe(202);
  });

  test('an owner whom an administrator has blocked is refused, its processes start for nobody, and nothing is queued', async () => {
    const administrator = await makeOwner(stack, { role: 'administrator' });
    const owner = await makeOwner(stack, { company: administrator.company });
    const process = await makeProcess(stack, { owner });
    const guest = await makeGuestOf(process);
    const { accounts } = accountList.parse(await administrator.manage('GET', '/accounts'));
    const { id } = accounts.find(({ email }) => email === owner.email) ?? {};
    await administrator.manage('PATCH', `/accounts/${id}`, { blocked: true });
    expect(await owner.api('GET', '/me')).toMatchObject(REFUSED_INACTIVE);
    expect(await guest.start()).toMatchObject(REFUSED_INACTIVE);
    expect((await administrator.api('GET', '/me')).status).toBe(200);

    await administrator.manage('PATCH', `/accounts/${id}`, { blocked: false });
    expect((await owner.api('GET', '/me')).status).toBe(200);
    expect(await countInstances(process)).toBe(0);
    expect(await creditsOf(owner.company)).toBe(1_000);
  });
});

describe('balance', () => {
  test('credits are spent one per start until none is left, and are refunded for instances that never left the queue', async () => {
    const process = await makeProcessOnPlan({ monthlyCredits: 2 });
    const { company } = process.owner;
    const first = instanceOf(await process.start());
    await process.start();
    expect(await process.start()).toMatchObject(REFUSED_NO_CREDITS);
    expect([await creditsOf(company), await ledgerSumOf(company), await countInstances(process)]).toEqual([0, 0, 2]);

    expect((await process.owner.api('POST', `/instances/${first}/stop`)).status).toBe(200);
    expect([await creditsOf(company), await ledgerSumOf(company)]).toEqual([1, 1]);
    expect((await process.start()).status).toBe(202);
    expect(await process.start()).toMatchObject(REFUSED_NO_CREDITS);
  });

  test('credits are taken from the owner, whoever starts', async () => {
    const process = await makeProcessOnPlan({ monthlyCredits: 1 });
    const guest = await makeGuestOf(process);
    const instanceID = instanceOf(await guest.start());
    expect([await creditsOf(process.owner.company), await creditsOf(guest.company)]).toEqual([0, 1_000]);
    expect(await guest.start()).toMatchObject(REFUSED_NO_CREDITS);
    expect((await process.owner.api('GET', `/instances/${instanceID}`)).status).toBe(200);
  });

  test('credits are renewed each month and do not accumulate', async () => {
    const process = await makeProcessOnPlan({ monthlyCredits: 2 });
    const { company } = process.owner;
    await process.start();
    await process.start();
    expect(await process.start()).toMatchObject(REFUSED_NO_CREDITS);
    await store.write("UPDATE credit_account SET period = '2001-01' WHERE company_id = ?", [company.companyID]);
    expect(await creditsOf(company)).toBe(2);
    expect((await process.start()).status).toBe(202);
    expect([await creditsOf(company), await ledgerSumOf(company)]).toEqual([1, 1]);
  });

  test('credits rise at once with a better plan and fall with a worse one only in the next month', async () => {
    const process = await makeProcessOnPlan({ monthlyCredits: 1 });
    const { company } = process.owner;
    await process.start();
    expect(await process.start()).toMatchObject(REFUSED_NO_CREDITS);
    await changePlan(company, { monthlyCredits: 3 });
    expect((await process.start()).status).toBe(202);
    await changePlan(company, { monthlyCredits: 0 });
    expect((await process.start()).status).toBe(202);
    await changePlan(company, { monthlyCredits: 1 });
    expect(await process.start()).toMatchObject(REFUSED_NO_CREDITS);
    expect([await creditsOf(company), await ledgerSumOf(company)]).toEqual([0, 0]);
  });

  test('credits are not spent by a refused or repeated start', async () => {
    const process = await makeProcessOnPlan({ monthlyCredits: 5 });
    const { company } = process.owner;
    const key = { 'idempotency-key': 'order-17' };
    const { instanceID } = s.object({ instanceID: s.text() }).parse((await process.start({}, key)).body);
    expect((await process.start({}, key)).body).toEqual({ instanceID, status: 'queued', replayed: true });
    expect((await process.start({ matrix: { none: 1 } })).status).toBe(400);
    expect([await creditsOf(company), await ledgerSumOf(company)]).toEqual([4, 4]);
  });
});

describe('requests per minute', () => {
  const LIMIT = 6;

  /**
   * Runs `work` within one minute, in which the rate limit counts. When it reaches into the next minute, as on a slow machine, repeats it with
   * a new owner.
   */
  async function withinOneMinute<Counted>(plan: object, work: (owner: Owner) => Promise<Counted>): Promise<Counted> {
    const minute = () => Math.floor(Date.now() / 60_000);
    for (;;) {
      const owner = await makeOwner(stack, { company: await makeCompany(stack, { plan }) });
      await waitUntil('a minute has long to go', () => new Date().getSeconds() < 40, { timeoutMs: 60_000 });
      const began = minute();
      const counted = await work(owner);
      if (minute() === began) return counted;
    }
  }

  test('the rate limit holds over all gateways together, and headers tell how many requests are left and when the count is renewed', async () => {
    const [one, two] = stack.services.gateway.map(({ url }) => `${url}/v1/me`);
    if (one === undefined || two === undefined) throw new Error('There are two gateways');
    const { answers, ofAnother } = await withinOneMinute({ requestsPerMinute: LIMIT }, async (owner) => {
      const other = await makeOwner(stack, { company: owner.company });
      const all: HttpAnswer[] = [];
      for (let n = 0; n < LIMIT; n += 1) {
        all.push(await call('GET', one, { bearer: owner.credential }));
        all.push(await call('GET', two, { bearer: owner.credential }));
      }
      return { answers: all, ofAnother: await call('GET', one, { bearer: other.credential }) };
    });
    expect(answers.map(({ status }) => status)).toEqual([...Array(LIMIT).fill(200), ...Array(LIMIT).fill(429)]);
    for (const { headers } of answers) {
      expect(headers.get('ratelimit-policy')).toBe(`"default";q=${LIMIT};w=60`);
      expect(headers.get('ratelimit')).toMatch(/^"default";r=[0-5];t=([1-9]|[1-5]\d|60)$/);
    }
    for (const { headers } of answers.slice(0, LIMIT)) expect(headers.get('retry-after')).toBeNull();
    for (const { headers, body } of answers.slice(LIMIT)) {
      expect(headers.get('ratelimit')).toBe(`"default";r=0;t=${headers.get('retry-after')}`);
      expect(body).toEqual({ error: { code: 'RATE_LIMITED', message: expect.stringMatching(/6 requests/) } });
    }
    expect(ofAnother.status).toBe(200);
    expect((await call('GET', `${stack.gateway}/v1/ping`)).headers.get('ratelimit')).toBeNull();
  });

  test('the rate limit rises with the plan at once', async () => {
    const statuses = await withinOneMinute({ requestsPerMinute: 1 }, async (owner) => {
      const statusOfMe = async () => (await owner.api('GET', '/me')).status;
      const before = [await statusOfMe(), await statusOfMe()];
      await changePlan(owner.company, { requestsPerMinute: 100 });
      return [...before, await statusOfMe()];
    });
    expect(statuses).toEqual([200, 429, 200]);
  });

  test('the rate limit costs the database a write for each block of requests, not for each request', async () => {
    const taken = await withinOneMinute({}, async (owner) => {
      for (let n = 0; n < 20; n += 1) expect((await owner.api('GET', '/me')).status).toBe(200);
      const { account } = s
        .object({ account: s.object({ credId: s.text() }) })
        .parse((await owner.api('GET', '/me')).body);
      const row = await store.row<{ taken: number }>('SELECT taken FROM rate_allowance WHERE subject = ?', [
        `credential:${account.credId}`,
      ]);
      return row?.taken;
    });
    // A gateway takes requests from the limit in blocks of a twentieth: 500 of the plan's 10,000.
    expect(taken).toBe(500);
  });
});
