import { createServer } from 'node:net';
import { listenOnFreePort } from '../../../../../test/support/web-server';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';

const sandbox = useSandbox({ workers: 1 });

/** Code of the message `AuthenticationGSS`. */
const ASKS_FOR_GSSAPI = 7;

/** The message of PostgreSQL with this type and these four bytes. */
function message(type: string, value: number): Buffer {
  const bytes = Buffer.alloc(9);
  bytes.write(type);
  bytes.writeInt32BE(8, 1);
  bytes.writeInt32BE(value, 5);
  return bytes;
}

test.each([
  ['asks for a login by GSSAPI', message('R', ASKS_FOR_GSSAPI), 'Unknown authenticationOk message type 7'],
  ['sends half a message', message('T', 0x00010000), 'out of range|outside buffer'],
])('a server that %s fails the step, and the process goes on', async (_what, answer, reason) => {
  const server = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.write(answer)));
  const host = `127.0.0.1:${await listenOnFreePort(server)}`;
  const connection = `postgres://ana:secret-1@${host}/erp`;
  const end = await createFlowWorld(sandbox).run([{ name: 'query', type: 'database', connection, sql: 'SELECT 1' }]);
  expect(end.errorMessage).toMatch(
    new RegExp(`^Step "query": cannot connect to the database at ${host}: .*(${reason})`),
  );
  server.close();
});
