import type { PermitRenewal, PermitRequest } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { createLogger } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import type { INestMicroservice } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { v7 as uuid } from 'uuid';
import { extendCallTimeLimits } from '../../../../../test/support/long-time-limits';
import { takeNatsUser } from '../../../../../test/support/servers';
import { waitUntil } from '../../../../../test/support/wait-until';
import { receivedRequests } from '../../../test/fake-execution';
import { startFakeWebhook, webhookReplies } from '../../../test/fake-webhook';
import { PermitPool } from './permit-pool';
import type { Permit } from './waiter-permits';

const MAX_PERMITS = 5;

let webhooks: INestMicroservice;
let rpc: Rpc;
let replicas: PermitPool[] = [];
let processID = '';
/** Permits by process and holder: the table of the webhook service. */
const leasedPermits = new Map<string, Map<string, number>>();

beforeAll(async () => {
  extendCallTimeLimits();
  const natsURL = await takeNatsUser();
  webhooks = await startFakeWebhook(natsURL);
  rpc = await Rpc.connect(natsURL, 'test');
});

afterAll(async () => {
  await rpc?.close();
  await webhooks?.close();
});

const usualReplies = { ...webhookReplies };
beforeEach(() => {
  Object.assign(webhookReplies, { acquirePermits: grantPermits, renewPermits: renewPermits });
  leasedPermits.clear();
  receivedRequests.length = 0;
  processID = uuid();
  replicas = [1, 2].map(() => {
    const tasks = new PeriodicTasks(new SchedulerRegistry(), createLogger('test', 'silent'));
    return new PermitPool(rpc, tasks, { READ_TIMEOUT_MS: 5_000 });
  });
});

afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.onApplicationShutdown()));
  Object.assign(webhookReplies, usualReplies);
});

async function grantPermits({ holder, processID: of, want }: PermitRequest): Promise<{ granted: number }> {
  const held = leasedPermits.get(of) ?? new Map<string, number>();
  leasedPermits.set(of, held);
  const granted = Math.min(want, MAX_PERMITS - totalLeased(of));
  held.set(holder, (held.get(holder) ?? 0) + granted);
  return { granted };
}

async function renewPermits({ holder, places }: PermitRenewal): Promise<{ gone: string[] }> {
  const gone = places.filter((kept) => kept.count > (leasedPermits.get(kept.processID)?.get(holder) ?? 0));
  for (const kept of places) leasedPermits.get(kept.processID)?.set(holder, kept.count);
  return { gone: gone.map((kept) => kept.processID) };
}

function totalLeased(of = processID): number {
  return [...(leasedPermits.get(of)?.values() ?? [])].reduce((sum, held) => sum + held, 0);
}

const untilAllReturned = () => waitUntil('all permits are returned', () => totalLeased() === 0);
const requestCount = (subject: string) => receivedRequests.filter((one) => one.subject === subject).length;
const acquireFor = (replica: number, calls: number): Promise<(Permit | undefined)[]> =>
  Promise.all(Array.from({ length: calls }, async () => replicas[replica]?.acquire(processID)));
const grantedPermits = (permits: (Permit | undefined)[]) => permits.filter((permit) => permit !== undefined);

test('two replicas together never hold more permits of a process than its limit', async () => {
  const [one, other] = await Promise.all([acquireFor(0, 4), acquireFor(1, 4)]);
  expect([grantedPermits([...one, ...other]).length, totalLeased()]).toEqual([MAX_PERMITS, MAX_PERMITS]);
  expect(grantedPermits(await acquireFor(0, 1))).toEqual([]);
});

test('calls that arrive together lease their permits with one request', async () => {
  const all = Array.from({ length: 6 }, () => acquireFor(0, 1));
  expect(grantedPermits((await Promise.all(all)).flat())).toHaveLength(MAX_PERMITS);
  expect(requestCount('webhook.wait')).toBe(2);
});

test('calls in sequence reuse the held permits, which are all returned after the last call', async () => {
  for (const permit of await acquireFor(0, 2)) permit?.release();
  const before = requestCount('webhook.wait');
  for (let round = 0; round < 100; round += 1) {
    const permits = await acquireFor(0, 2);
    expect(grantedPermits(permits)).toHaveLength(2);
    for (const permit of permits) permit?.release();
  }
  expect(requestCount('webhook.wait')).toBe(before);
  expect(await untilAllReturned()).toBe(true);
});

test('a replica returns its unused permits for others to acquire, and keeps the used ones', async () => {
  const [used, ...unused] = await acquireFor(0, MAX_PERMITS);
  expect(grantedPermits(await acquireFor(1, 1))).toEqual([]);
  for (const permit of unused) permit?.release();
  await waitUntil('the unused permits are returned', () => totalLeased() === 1);
  expect(grantedPermits(await acquireFor(1, MAX_PERMITS))).toHaveLength(MAX_PERMITS - 1);
  used?.release();
});

test('one request returns the unused permits of many processes', async () => {
  const processes = [processID, uuid(), uuid()];
  for (const permit of await Promise.all(processes.map(async (each) => replicas[0]?.acquire(each)))) permit?.release();
  await untilAllReturned();
  expect(processes.map(totalLeased)).toEqual([0, 0, 0]);
  const returned = receivedRequests
    .filter(({ subject }) => subject === 'webhook.keep')
    .map(({ request }) => Object(request).places.filter(({ count: kept }: { count: number }) => kept === 0).length);
  // Renewals of permits that are in use return none.
  expect(returned.filter((processesInRequest) => processesInRequest > 0)).toEqual([3]);
});

test('a permit that a lost reply leased is returned', async () => {
  webhookReplies.acquirePermits = async (request) => {
    await grantPermits(request);
    throw new ApiError('UNAVAILABLE');
  };
  expect(grantedPermits(await acquireFor(0, 1))).toEqual([]);
  expect(totalLeased()).toBe(1);
  expect(await untilAllReturned()).toBe(true);
});

test('a failed renewal is sent again', async () => {
  let attempts = 0;
  webhookReplies.renewPermits = async (renewal) => {
    attempts += 1;
    if (attempts > 2) return renewPermits(renewal);
    throw new ApiError('UNAVAILABLE');
  };
  for (const permit of await acquireFor(0, 3)) permit?.release();
  expect(await untilAllReturned()).toBe(true);
});

test('a replica that lost its lease acquires new permits and does not reuse the lost ones', async () => {
  const before = await acquireFor(0, 3);
  leasedPermits.clear();
  // A released permit causes a renewal, whose reply reports the loss.
  before[0]?.release();
  await waitUntil('the loss is reported', () => requestCount('webhook.keep') > 1);
  expect(grantedPermits(await acquireFor(1, 4))).toHaveLength(4);
  for (const permit of before.slice(1)) permit?.release();
  expect(grantedPermits(await acquireFor(0, 2))).toHaveLength(1);
  expect(totalLeased()).toBe(MAX_PERMITS);
});

test('a replica that shuts down returns all its permits', async () => {
  await acquireFor(0, 3);
  await acquireFor(1, 1);
  await replicas[0]?.onApplicationShutdown();
  expect(totalLeased()).toBe(1);
});
