import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../scripts/lib/servers.cjs';
import { startShippedNats, type ShippedNats } from '../../../test/support/deployment/nats-access';
import * as s from '../../../test/support/shape';
import { waitUntil } from '../../../test/support/wait-until';
import { startReplica, TEST_SUBJECTS } from '../test/replica';
import { Rpc } from '.';

const PASSWORD = 'shared';
const CALLERS = 10;
const connectionsShape = s.object({ num_connections: s.number });

let folder: string;
let nodes: ShippedNats[] = [];
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-nats-nodes-'));
  const routePorts = await Promise.all([freePort(), freePort(), freePort()]);
  const routes = routePorts.map((port) => `"nats-route://127.0.0.1:${port}"`).join();
  nodes = await Promise.all(
    routePorts.map(async (port) => {
      const file = join(folder, `${port}.conf`);
      const lines = [
        `authorization { user: batuta, password: ${PASSWORD} }`,
        'max_payload: 8MB',
        'lame_duck_grace_period: "5s"',
        'lame_duck_duration: "30s"',
        `cluster { name: test, listen: "127.0.0.1:${port}", no_advertise: true, routes: [${routes}] }`,
      ];
      await writeFile(file, lines.join('\n'));
      return startShippedNats(file, {});
    }),
  );
  url = `nats://batuta:${PASSWORD}@${nodes.map(({ port }) => `127.0.0.1:${port}`).join()}`;
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await rm(folder, { recursive: true });
});

async function connectionsTo(node: ShippedNats): Promise<number> {
  const answer = await fetch(new URL('/connz', node.monitoring));
  return connectionsShape.parse(await answer.json()).num_connections;
}

/** Begins the lame duck mode of the node with most clients, and waits for its end. */
async function stopBusiestNode(): Promise<void> {
  const counts = await Promise.all(nodes.map(connectionsTo));
  const [busiest] = nodes.splice(counts.indexOf(Math.max(...counts)), 1);
  if (!busiest) throw new Error('no node is left');
  busiest.signal('SIGUSR2');
  await busiest.exited;
  await busiest.stop();
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
  const service = await startReplica(url, 'service');
  const rpc = await Rpc.connect(url, 'test');
  const words = new EventEmitter();
  rpc.subscribe(TEST_SUBJECTS.changed, ({ word }) => words.emit(word));
  try {
    await waitUntil('the nodes know each other', () => rpc.call(TEST_SUBJECTS.double, { n: 1 }));
    const stopCalling = keepCalling(rpc);
    await stopBusiestNode();
    await stopBusiestNode();
    expect(await stopCalling()).toEqual([]);
    const notified = once(words, 'after');
    rpc.notify(TEST_SUBJECTS.changed, { word: 'after' });
    await notified;
  } finally {
    await rpc.close();
    await service.close();
  }
});
