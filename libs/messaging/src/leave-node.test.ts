import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startShippedNats, type ShippedNats } from '../../../test/support/deployment/nats-access';
import { LoadBalancer } from '../../../test/e2e/support/stack/load-balancer';
import * as s from '../../../test/support/shape';
import { waitUntil } from '../../../test/support/wait-until';
import { startReplica, TEST_SUBJECTS } from '../test/replica';
import { Rpc } from '.';

const PASSWORD = 'shared';
const CALLERS = 10;
const clientsShape = s.object({ connections: s.list(s.object({ name: s.text() })) });
const routesShape = s.object({ routes: s.list(s.object({ subscriptions_list: s.list(s.text()).optional() })) });

let folder: string;
/** One load balancer before each of the two nodes: clients get a constant address, although a node gets a new port at each start. */
let addresses: [LoadBalancer, LoadBalancer];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-nats-nodes-'));
  addresses = [await LoadBalancer.start([]), await LoadBalancer.start([])];
});
afterAll(async () => {
  await Promise.all(addresses.map((address) => address.stop()));
  await rm(folder, { recursive: true });
});

/** Starts the node at this address, with a route to the other node. */
async function startNode(number: 0 | 1, other?: ShippedNats): Promise<ShippedNats> {
  const file = join(folder, `${number}.conf`);
  const routes = other ? `"nats-route://127.0.0.1:${other.routePort}"` : '';
  const lines = [
    `authorization { user: batuta, password: ${PASSWORD} }`,
    'max_payload: 8MB',
    'lame_duck_grace_period: "5s"',
    'lame_duck_duration: "30s"',
    `cluster { name: test, listen: "127.0.0.1:-1", no_advertise: true, routes: [${routes}] }`,
  ];
  await writeFile(file, lines.join('\n'));
  const node = await startShippedNats(file, {});
  addresses[number].targets = [`nats://127.0.0.1:${node.port}`];
  return node;
}

async function clientsOf(node: ShippedNats): Promise<string[]> {
  const answer = await fetch(new URL('/connz', node.monitoring));
  return clientsShape.parse(await answer.json()).connections.map(({ name }) => name);
}

/** Whether the node forwards requests to the service at the other node. */
async function knowsService(node: ShippedNats): Promise<boolean> {
  const answer = await fetch(new URL('/routez?subs=1', node.monitoring));
  const { routes } = routesShape.parse(await answer.json());
  return routes.some(({ subscriptions_list: subjects = [] }) => subjects.includes(TEST_SUBJECTS.double.subject));
}

/** Starts the other node, and moves both clients to it by the lame duck mode of the first one, whose end it waits for. */
async function moveFrom(left: ShippedNats, other: 0 | 1): Promise<ShippedNats> {
  expect((await clientsOf(left)).toSorted()).toEqual(['caller', 'service']);
  const next = await startNode(other, left);
  await waitUntil('the next node forwards requests', () => knowsService(next));
  left.signal('SIGUSR2');
  await left.exited;
  await left.stop();
  return next;
}

/** Calls again and again, each caller one call after the other. Returns a function that stops the calls and resolves with their failures. */
function keepCalling(rpc: Rpc): () => Promise<unknown[]> {
  const failures: unknown[] = [];
  const stop = new AbortController();
  const callAgain = async () => {
    while (!stop.signal.aborted) {
      await rpc
        .call(TEST_SUBJECTS.double, { n: 1 }, { timeout: 60_000 })
        .catch((error: unknown) => failures.push(error));
    }
  };
  const callers = Array.from({ length: CALLERS }, callAgain);
  return async () => {
    stop.abort();
    await Promise.all(callers);
    return failures;
  };
}

test('no call is lost while one node after the other announces that it stops and ends, and notifications still arrive', async () => {
  let node = await startNode(0);
  const url = `nats://batuta:${PASSWORD}@${addresses.map((address) => new URL(address.url).host).join()}`;
  const service = await startReplica(url, 'service');
  const rpc = await Rpc.connect(url, 'caller');
  const words = new EventEmitter();
  rpc.subscribe(TEST_SUBJECTS.changed, ({ word }) => words.emit(word));
  try {
    await rpc.call(TEST_SUBJECTS.double, { n: 1 });
    const stopCalling = keepCalling(rpc);
    node = await moveFrom(node, 1);
    node = await moveFrom(node, 0);
    expect(await stopCalling()).toEqual([]);
    const notified = once(words, 'after');
    rpc.notify(TEST_SUBJECTS.changed, { word: 'after' });
    await notified;
  } finally {
    await rpc.close();
    await service.close();
    await node.stop();
  }
});
