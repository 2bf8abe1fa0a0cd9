import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Store } from '@batuta/database';
import type { Flow } from '@batuta/flow';
import { KeyRing, sealingContexts } from '@batuta/secrets';
import { openTestStore } from '../support/stack/database';
import { makeProcess, type Process } from '../support/tenants/factories';
import { instanceOf, untilEnded, untilOnline, untilStatus } from '../support/tenants/instances';
import { Program } from '../support/stack/program';
import { startServiceProcesses, type ServiceProcessStack } from '../support/stack/stack';
import { SteadyCallers } from '../support/faults/steady-callers';
import { until } from '../support/until';
import { makeOrigin, sendEvent, type Origin } from '../support/webhooks/webhooks';

// A key is rotated as docs/operations.md says, with sealed values of all kinds in the database, while callers start instances.

const RESEAL = join(__dirname, '../../../dist/libs/secrets/reseal.js');
const newKey = () => randomBytes(32).toString('base64');
const [K1, K2] = [`k1:${newKey()}`, `k2:${newKey()}`];
const BULK_ROWS = 1_500;
const SIGNATURE = { header: 'X-Signature', secret: 'of the sender' };
const VALUES = { token: 's3cret-of-the-caller', vault: 'v4ult-of-the-owner' };

const FLOW: Flow = {
  start: 'Answer',
  steps: [{ name: 'Answer', type: 'webhookResponse', body: '{"token": {{matrix.token}}, "vault": "{{vault.TOKEN}}"}' }],
};

let stack: ServiceProcessStack;
let store: Store;

beforeAll(async () => {
  stack = await startServiceProcesses({ replicas: 'together', env: { SECRET_KEYS: K1 } });
  store = await openTestStore(stack.databaseUrl);
});

afterAll(async () => {
  await store?.close();
  await stack?.stop();
});

/** Restarts all services with other keys and waits until they are ready. */
async function restartWith(keys: string): Promise<void> {
  const all = Object.values(stack.services).flat();
  await all[0]?.startAgain({ SECRET_KEYS: keys });
  for (const service of all) await service.untilReady();
}

/** Starts the re-seal job; does not wait for its end. */
const startJob = (keys: string) =>
  Program.start('reseal', { DATABASE_URL: stack.databaseUrl, SECRET_KEYS: keys }, RESEAL);

async function makeSecretProcess(): Promise<Process> {
  const process = await makeProcess(stack, { matrix: [{ name: 'token', type: 'Secreto' }], flow: null });
  const { owner, processID } = process;
  await owner.manage('PUT', '/vault/TOKEN', { value: VALUES.vault });
  await owner.manage('PUT', `/processes/${processID}/vault-keys`, { keys: ['TOKEN'] });
  await owner.manage('PUT', `/processes/${processID}/flow`, FLOW);
  await owner.manage('POST', `/processes/${processID}/publish`);
  return process;
}

function callSigned(origin: Origin, key: string) {
  const body = JSON.stringify({ token: VALUES.token });
  const signature = createHmac('sha256', SIGNATURE.secret).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', [SIGNATURE.header]: `sha256=${signature}` };
  return sendEvent(origin.prodUrl, body, { ...headers, 'idempotency-key': key });
}

/** Writes inputs of instances that do not exist, enough that the job can be killed between two of its transactions. */
async function insertBulk(): Promise<string[]> {
  const ring = new KeyRing(K1);
  const ids = Array.from({ length: BULK_ROWS }, () => randomUUID());
  const rows = ids.map((id) => [id, ring.seal(`input of ${id}`, sealingContexts.instanceInput(id))]);
  await store.write('INSERT INTO instance_input (instance_id, sealed) VALUES ?', [rows]);
  return ids;
}

/** How many of these inputs are sealed with the key. A sealed value begins with the length of its key's id, here 2, and the id. */
async function countBulk(ids: string[], keyID: string): Promise<number> {
  const sql = `SELECT COUNT(*) AS n FROM instance_input WHERE instance_id IN (?) AND LEFT(sealed, 3) = ?`;
  const row = await store.row<{ n: number }>(sql, [ids, Buffer.from(`\u0002${keyID}`)]);
  return Number(row?.n);
}

test('every value opens without the old key after the re-seal job was killed in the middle and run again under traffic', async () => {
  const process = await makeSecretProcess();
  const { owner, processID, environment } = process;
  const mapping = { token: '/token' };
  const origin = await makeOrigin(process, {
    mapping,
    responseMode: 'Aguardar',
    waitSeconds: 60,
    signature: SIGNATURE,
  });
  const agent = await stack.startAgent(environment);
  await untilOnline(environment);
  const answered = randomUUID();
  expect(await callSigned(origin, answered)).toMatchObject({ status: 200, body: VALUES });
  await agent.end();
  const queued = instanceOf(await process.start({ matrix: { token: VALUES.token } }));
  await untilStatus(owner, queued, 'queued');
  const originsBefore = await owner.manage('GET', `/processes/${processID}/origins`);
  const bulk = await insertBulk();

  await restartWith(`${K2},${K1}`);
  const callers = new SteadyCallers();
  const headers = { authorization: `Bearer ${owner.credential}`, 'x-process-key': process.processKey };
  const starts: string[] = [];
  callers.add('start', 50, async (send) => {
    const body = { matrix: { token: VALUES.token } };
    starts.push(instanceOf(await send('POST', `${stack.gateway}/v1/processes/${processID}/start`, { headers, body })));
  });
  callers.add('vault', 50, () => owner.manage('PUT', '/vault/TOKEN', { value: VALUES.vault }).then(() => undefined));
  await callers.untilAllCalledAgain();

  const killed = await startJob(`${K2},${K1}`);
  await until(
    () => countBulk(bulk, 'k2'),
    (count) => count > 0,
    { every: 5 },
  );
  await killed.kill();
  expect(await countBulk(bulk, 'k1')).toBeGreaterThan(0);
  const job = await startJob(`${K2},${K1}`);
  expect(await job.exited).toEqual({ code: 0, signal: null });
  expect(await job.log()).toContain('Every value is under k2.');
  await callers.stop();
  expect(callers.failures).toEqual([]);
  expect(await countBulk(bulk, 'k2')).toBe(BULK_ROWS);

  await restartWith(K2);
  expect(await owner.manage('GET', `/processes/${processID}/origins`)).toEqual(originsBefore);
  await stack.startAgent(environment);
  await untilOnline(environment);
  for (const instanceID of [queued, ...starts]) {
    expect(await untilEnded(owner, instanceID)).toMatchObject({ status: 'success' });
  }
  expect(await callSigned(origin, randomUUID())).toMatchObject({ status: 200, body: VALUES });
  const again = await sendEvent(origin.prodUrl, '{}', { [SIGNATURE.header]: 'sha256=00' });
  expect(again.status).toBe(401);
  const after = await startJob(K2);
  expect(await after.exited).toEqual({ code: 0, signal: null });
  await Promise.all([killed.stop(), job.stop(), after.stop()]);
});
