import { connect, createServer, type Server } from 'node:net';
import { holdTimers } from '../../../../../test/support/held-timers';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/servers';
import { waitUntil } from '../../../../../test/support/wait-until';
import { listenOnFreePort } from '../../../../../test/support/web-server';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';

const TIMEOUT_SECONDS = 77;
const sandbox = useSandbox({ workers: 1 });
let database: TestDatabase;
let relay: Server;
let address: URL;
let isCommitting = false;

beforeAll(async () => {
  database = await createTestDatabase();
  address = new URL(database.url);
  relay = relayWithoutCommit(address.hostname, Number(address.port));
  address.port = String(await listenOnFreePort(relay));
});
afterAll(async () => {
  relay?.close();
  await database?.drop();
});

/** A relay to the server that drops the COMMIT of a client. */
function relayWithoutCommit(host: string, port: number): Server {
  return createServer((client) => {
    const server = connect(port, host);
    client.on('data', (bytes) => {
      if (bytes.includes('COMMIT')) isCommitting = true;
      else server.write(bytes);
    });
    server.on('data', (bytes) => client.write(bytes));
    client.on('error', () => undefined).once('close', () => server.destroy());
    server.on('error', () => undefined).once('close', () => client.destroy());
  });
}

test('a COMMIT that the server does not confirm in time fails the step, which says that its changes may have taken effect', async () => {
  const timers = holdTimers(TIMEOUT_SECONDS * 1000);
  try {
    const limits = { transaction: true, timeoutSeconds: TIMEOUT_SECONDS };
    const ended = createFlowWorld(sandbox).run([
      { name: 'query', type: 'database', connection: address.href, sql: 'SELECT 1', ...limits },
    ]);
    await waitUntil('the step commits', () => Promise.resolve(isCommitting));
    timers.fire();
    expect((await ended).errorMessage).toBe(
      'Step "query": the database did not confirm COMMIT within 77 s, so the changes may have taken effect',
    );
  } finally {
    timers.release();
  }
});
