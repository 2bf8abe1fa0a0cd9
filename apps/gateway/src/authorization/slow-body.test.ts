import type { ErrorCode } from '@batuta/errors';
import { once } from 'node:events';
import { connect } from 'node:net';
import { waitUntil } from '../../../../test/support/wait-until';
import { receivedRequests } from '../../test/fake-execution';
import { callGateway, createTenant, resetFakes, startWorld, type GatewayWorld } from '../../test/world';
import { AccessLookups } from './access-lookups';

let world: GatewayWorld;
let clockOffset: number;

beforeAll(async () => {
  world = await startWorld({}, () => Date.now() + clockOffset);
});

afterAll(() => world?.close());

beforeEach(() => {
  clockOffset = 0;
  resetFakes();
});

interface Sender {
  processID: string;
  credentialID: string;
  accountID: string;
}

const scheduleBody = (processID: string) =>
  JSON.stringify({ processID, name: 'Every morning', cronExpression: '0 8 * * *' });

const ROUTES: [route: string, path: (sender: Sender) => string, body: (sender: Sender) => string][] = [
  ['a start', ({ processID }) => `/v1/processes/${processID}/start`, () => '{}'],
  ['a schedule', () => '/v1/schedules', ({ processID }) => scheduleBody(processID)],
];

const REVOCATIONS: [what: string, sql: string, id: keyof Sender, code: ErrorCode][] = [
  [
    'a credential',
    'UPDATE credential SET revoked_at = UTC_TIMESTAMP(3) WHERE credential_id = ?',
    'credentialID',
    'CREDENTIAL_REVOKED',
  ],
  ['an account', 'UPDATE account SET blocked = 1 WHERE account_id = ?', 'accountID', 'OWNER_INACTIVE'],
  [
    'a process key',
    'UPDATE process_key SET revoked_at = UTC_TIMESTAMP(3) WHERE process_id = ?',
    'processID',
    'PROCESS_KEY_REVOKED',
  ],
  ['a share', 'DELETE FROM process_share WHERE process_id = ?', 'processID', 'FORBIDDEN'],
  [
    'the permission of a share',
    'UPDATE process_share SET may_execute = 0, may_schedule = 0 WHERE process_id = ?',
    'processID',
    'FORBIDDEN',
  ],
];

describe.each(ROUTES)('%s', (route, pathOf, bodyOf) => {
  test.each(REVOCATIONS)(`${route} is refused when %s is revoked while the body arrives`, async (_, sql, id, code) => {
    const { registry, gateway, store } = world;
    const { processID, key } = await createTenant(registry);
    const { accountID } = await registry.addAccount();
    await registry.addShare(processID, accountID, ['execute', 'schedule']);
    const { credentialID, value } = await registry.addCredential(accountID);
    const sender = { processID, credentialID, accountID };
    const body = bodyOf(sender);
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    const head = [
      'Host: x',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      `Authorization: Bearer ${value}`,
      `X-Process-Key: ${key}`,
    ];
    socket.write(`POST ${pathOf(sender)} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`);
    await waitUntil('the request passed the rate limit', () =>
      store.row('SELECT 1 FROM rate_allowance WHERE subject = ?', [`credential:${credentialID}`]),
    );
    await store.write(sql, [sender[id]]);
    clockOffset = 10_000;
    socket.write(body.slice(-1));
    const [answer] = await once(socket, 'data');
    socket.destroy();
    expect(JSON.parse(String(answer).split('\r\n\r\n')[1] ?? '').error.code).toBe(code);
    expect(receivedRequests).toEqual([]);
  });
});

test('the time in which the database answers does not count as the time of a body', async () => {
  const { processID, key, credential } = await createTenant(world.registry);
  const access: AccessLookups['findAccess'] = Reflect.get(AccessLookups.prototype, 'findAccess');
  const lookups = jest.spyOn(AccessLookups.prototype, 'findAccess').mockImplementation(async function (
    this: AccessLookups,
    question,
  ) {
    const answer = await access.call(this, question);
    clockOffset += 10_000;
    return answer;
  });
  try {
    const path = `/v1/processes/${processID}/start`;
    await callGateway(world.gateway.url, 'post', path, { credential: credential.value, key, body: {} }).expect(200);
    expect(lookups).toHaveBeenCalledTimes(1);
  } finally {
    lookups.mockRestore();
  }
});

test('the time in which the database answers does not count as the time of the body of a webhook call', async () => {
  const { registry, gateway } = world;
  const processID = await registry.addProcess(await registry.addAccount());
  const { prod } = await registry.addOrigin(processID);
  const hook: AccessLookups['findHook'] = Reflect.get(AccessLookups.prototype, 'findHook');
  const lookups = jest.spyOn(AccessLookups.prototype, 'findHook').mockImplementation(async function (
    this: AccessLookups,
    tokenHash,
  ) {
    const answer = await hook.call(this, tokenHash);
    clockOffset += 10_000;
    return answer;
  });
  try {
    await callGateway(gateway.url, 'post', `/v1/hooks/${processID}/${prod}`, { body: {} }).expect(200);
    expect(lookups).toHaveBeenCalledTimes(1);
  } finally {
    lookups.mockRestore();
  }
});
