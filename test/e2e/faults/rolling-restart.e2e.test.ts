import { randomUUID } from 'node:crypto';
import { ChaosStack, type OrderWorld } from '../support/faults/chaos-stack';
import { effectFlow } from '../support/faults/effect-counter';
import { publish } from '../support/tenants/factories';
import { instanceOf } from '../support/tenants/instances';
import { LoadBalancer } from '../support/stack/load-balancer';
import { SERVICES, type ServiceName, type ServiceProcess } from '../support/stack/service-process';
import { SteadyCallers, type CallerAnswer, type Send } from '../support/faults/steady-callers';
import { ANSWERING_FLOW, WebhookTarget } from '../support/webhooks/webhook-target';

// One of two replicas of every service is replaced as Kubernetes does it. No call may fail: callers keep their connections and repeat nothing.

/** Longer than a balancer needs to see that a replica is not ready. */
const STOP_DELAY_MS = '1000';

let chaos: ChaosStack;
let consoles: LoadBalancer;

beforeAll(async () => {
  const replicas = { gateway: 2, execution: 2, router: 2, console: 2, schedule: 2, webhook: 2 };
  chaos = await ChaosStack.start({ replicas, capacity: 20, env: { STOP_DELAY_MS } });
  const { gateways, routers, stack } = chaos;
  const urlsOfLiveReplicas = (name: ServiceName) => () =>
    stack.services[name].filter(({ isAlive }) => isAlive).map(({ url }) => url);
  consoles = await LoadBalancer.start(urlsOfLiveReplicas('console')());
  // The agent connects to the router that is replaced.
  await chaos.joinAgent('steady');
  gateways.followReadiness(urlsOfLiveReplicas('gateway'));
  routers.followReadiness(urlsOfLiveReplicas('router'));
  consoles.followReadiness(urlsOfLiveReplicas('console'));
  await chaos.recordUndisturbedLog();
});

afterAll(async () => {
  await Promise.all(Object.values(chaos?.stack.services ?? {}).flatMap((all) => all.map((one) => one.kill())));
  await consoles?.stop();
  await chaos?.stop();
});

test('a rolling restart of every service fails no call, loses and doubles no start, and keeps the ledger exact', async () => {
  const orders = await chaos.makeOrderProcess();
  const followed = await chaos.makeOrderProcess();
  await publish(followed.process.owner, followed.process.processID, effectFlow(chaos.effects, 0.2));
  const target = await WebhookTarget.create(chaos, ANSWERING_FLOW, { waitSeconds: 60 });
  const instancesBefore = (await target.instanceIDs()).length;

  const callers = new SteadyCallers();
  const start = async (send: Send) => void (await startOnce(send, orders));
  for (let caller = 0; caller < 2; caller += 1) callers.add('start', 250, start);
  callers.add('read', 150, (send) => readOnce(send, orders));
  callers.add('schedules', 200, async (send) => {
    expectAnswer(await send('GET', `${chaos.gateways.url}/v1/schedules`, { headers: headersOf(orders) }), 200);
  });
  for (let caller = 0; caller < 2; caller += 1) callers.add('webhook', 300, (send) => callWebhook(send, target));
  const session = await logIn(orders);
  callers.add('console', 250, (send) => manageOnce(send, orders, session));
  callers.add('events', 50, (send) => followOnce(send, followed));
  await callers.untilAllCalledAgain();

  for (const name of SERVICES) {
    const [old] = chaos.stack.services[name];
    await chaos.stack.addReplica(name);
    await callers.untilAllCalledAgain();
    await Promise.all([drain(old), callers.untilAllCalledAgain()]);
  }
  const counts = await callers.stop();

  expect(callers.failures).toEqual([]);
  expect(await target.instanceIDs()).toHaveLength(instancesBefore + (counts['webhook'] ?? 0));
  await target.untilPermitsReturned();
  expect((await chaos.check(orders)).violations).toEqual([]);
});

async function drain(replica: ServiceProcess | undefined): Promise<void> {
  if (!replica) throw new Error('There is no replica');
  await replica.end();
  const { code } = await replica.exited;
  if (code !== 0) throw new Error(`${replica.name} did not stop cleanly: ${code}\n${await replica.log()}`);
}

const headersOf = ({ process }: OrderWorld) => ({
  authorization: `Bearer ${process.owner.credential}`,
  'x-process-key': process.processKey,
});

async function startOnce(send: Send, orders: OrderWorld): Promise<string> {
  const order = randomUUID();
  const answer = await send('POST', `${chaos.gateways.url}/v1/processes/${orders.process.processID}/start`, {
    headers: { ...headersOf(orders), 'idempotency-key': order },
    body: { matrix: { order } },
  });
  const instanceID = instanceOf(answer);
  orders.integrator.accepted.set(order, instanceID);
  return instanceID;
}

async function readOnce(send: Send, orders: OrderWorld): Promise<void> {
  const instanceID = [...orders.integrator.accepted.values()].at(-1);
  if (instanceID === undefined) return;
  for (const path of [`/instances/${instanceID}`, `/instances/${instanceID}/logs`]) {
    expectAnswer(await send('GET', `${chaos.gateways.url}/v1${path}`, { headers: headersOf(orders) }), 200);
  }
}

async function callWebhook(send: Send, target: WebhookTarget): Promise<void> {
  const answer = await send('POST', target.url, { body: { total: '7' } });
  expectAnswer(answer, 201);
  expect(answer.body).toEqual({ total: 7 });
}

async function logIn({ process: { owner } }: OrderWorld): Promise<Record<string, string>> {
  const body = { email: owner.email, password: owner.password };
  const response = await fetch(`${chaos.stack.console}/manage/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { token }: { token: string } = Object(await response.json());
  return { authorization: `Bearer ${token}` };
}

/** A write, and reads that the console, execution and the webhook service answer. */
async function manageOnce(send: Send, { process }: OrderWorld, headers: Record<string, string>): Promise<void> {
  const base = `${consoles.url}/manage/v1`;
  const put = await send('PUT', `${base}/vault/TOKEN`, { headers, body: { value: randomUUID() } });
  if (put.status > 204) expectAnswer(put, 204);
  for (const path of [`/processes/${process.processID}`, `/processes/${process.processID}/origins`]) {
    expectAnswer(await send('GET', base + path, { headers }), 200);
  }
}

/** Follows a new instance to its end. A stream that ends earlier is continued at another replica; no event may be missing or repeated. */
async function followOnce(send: Send, followed: OrderWorld): Promise<void> {
  const instanceID = await startOnce(send, followed);
  let text = '';
  for (let last = ''; !text.includes('"finishedAt"');) {
    const headers = { ...headersOf(followed), ...(last === '' ? {} : { 'last-event-id': last }) };
    const answer = await send('GET', `${chaos.gateways.url}/v1/instances/${instanceID}/events`, { headers });
    expectAnswer(answer, 200);
    text += String(answer.body);
    last = [...text.matchAll(/^id: ?(.+)$/gm)].at(-1)?.[1] ?? '';
  }
  const lines = [...text.matchAll(/"line":(\d+)/g)].map(([, line]) => Number(line));
  expect(lines).toEqual(lines.map((_line, index) => index + 1));
}

function expectAnswer({ status, body }: CallerAnswer, expected: number): void {
  if (status !== expected) throw new Error(`${status} in place of ${expected}: ${JSON.stringify(body)}`);
}
