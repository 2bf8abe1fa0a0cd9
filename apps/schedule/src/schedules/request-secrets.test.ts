import { schedule, type ApiCaller, type RequestSecrets } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { callDuringChange } from '../../../../test/support/call-during-change';
import { registerProcess, type RegisteredProcess } from '../../test/registry';
import { addSchedule, creationRequest, startWorld, type ScheduleWorld } from '../../test/world';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Adds a credential of the owner and a key of the process; returns their ids. */
async function addSecrets({ ownerID, processID }: RegisteredProcess): Promise<RequestSecrets> {
  const secrets = { credentialID: uuid(), processKeyID: uuid() };
  const insert = (table: string, row: unknown[]) => world.store.write(`INSERT INTO ${table} VALUES (?)`, [row]);
  await insert('credential', [secrets.credentialID, ownerID, 'ERP', randomBytes(32), new Date(), null, null]);
  await insert('process_key', [secrets.processKeyID, processID, 'erp-key', randomBytes(32), new Date(), null, null]);
  return secrets;
}

const schedulesOf = ({ processID }: RegisteredProcess) =>
  world.store.rows('SELECT active FROM schedule WHERE process_id = ?', [processID]);

const create = (at: RegisteredProcess, secrets?: RequestSecrets) =>
  world.rpc.call(schedule.create, { ...creationRequest(at), secrets });

/** Locks the process, as the console does before it revokes a key. */
const lockProcess = (tx: Store, { processID }: RegisteredProcess) =>
  tx.row('SELECT 1 FROM process WHERE process_id = ? FOR UPDATE', [processID]);

type Revocation = (tx: Store, secrets: RequestSecrets, at: RegisteredProcess) => Promise<unknown>;

test.each<[string, Revocation, string]>([
  [
    'credential is revoked',
    (tx, { credentialID }) =>
      tx.write('UPDATE credential SET revoked_at = UTC_TIMESTAMP(3) WHERE credential_id = ?', [credentialID]),
    'CREDENTIAL_REVOKED',
  ],
  [
    'credential expires',
    (tx, { credentialID }) =>
      tx.write('UPDATE credential SET expires_at = UTC_TIMESTAMP(3) WHERE credential_id = ?', [credentialID]),
    'CREDENTIAL_EXPIRED',
  ],
  [
    'process key is revoked',
    async (tx, { processKeyID }, at) => {
      await lockProcess(tx, at);
      await tx.write('UPDATE process_key SET revoked_at = UTC_TIMESTAMP(3) WHERE key_id = ?', [processKeyID]);
    },
    'PROCESS_KEY_REVOKED',
  ],
  [
    'process key expires',
    async (tx, { processKeyID }, at) => {
      await lockProcess(tx, at);
      await tx.write('UPDATE process_key SET expires_at = UTC_TIMESTAMP(3) WHERE key_id = ?', [processKeyID]);
    },
    'PROCESS_KEY_EXPIRED',
  ],
])('a request whose %s after the check of the gateway creates no schedule', async (_, end, code) => {
  const at = await registerProcess(world.store);
  const secrets = await addSecrets(at);
  const call = () =>
    create(at, secrets).then(
      () => 'no refusal',
      (error: { code: string }) => error.code,
    );
  expect(await callDuringChange(world.store, (tx) => end(tx, secrets, at), call)).toBe(code);
  expect(await schedulesOf(at)).toEqual([]);
});

/** The requests of the gateway about a schedule that exists, which need a credential only. */
const requestsAbout = {
  'switches on': (id: string, caller: ApiCaller) => world.rpc.call(schedule.setActive, { id, ...caller, active: true }),
  removes: (id: string, caller: ApiCaller) => world.rpc.call(schedule.remove, { id, ...caller }),
};

test.each<[string, keyof typeof requestsAbout, string, string]>([
  ['is revoked', 'switches on', 'revoked_at', 'CREDENTIAL_REVOKED'],
  ['is revoked', 'removes', 'revoked_at', 'CREDENTIAL_REVOKED'],
  ['expires', 'switches on', 'expires_at', 'CREDENTIAL_EXPIRED'],
  ['expires', 'removes', 'expires_at', 'CREDENTIAL_EXPIRED'],
])('a request whose credential %s after the check of the gateway %s no schedule', async (_, what, column, code) => {
  const at = await registerProcess(world.store);
  const { credentialID } = await addSecrets(at);
  const id = await addSchedule(world, at, { active: false });
  const before = await schedulesOf(at);
  const end = (tx: Store) =>
    tx.write(`UPDATE credential SET ${column} = UTC_TIMESTAMP(3) WHERE credential_id = ?`, [credentialID]);
  const call = () =>
    requestsAbout[what](id, { accountID: at.ownerID, credentialID }).then(
      () => 'no refusal',
      (error: { code: string }) => error.code,
    );
  expect(await callDuringChange(world.store, end, call)).toBe(code);
  expect(await schedulesOf(at)).toEqual(before);
});

test('a request with a usable credential switches a schedule on and removes it', async () => {
  const at = await registerProcess(world.store);
  const caller = { accountID: at.ownerID, credentialID: (await addSecrets(at)).credentialID };
  const id = await addSchedule(world, at, { active: false });
  expect(await requestsAbout['switches on'](id, caller)).toEqual({ id, active: true });
  expect(await requestsAbout.removes(id, caller)).toEqual({ ok: true });
  expect(await schedulesOf(at)).toEqual([]);
});

test('a request with usable secrets creates a schedule', async () => {
  const at = await registerProcess(world.store);
  await create(at, await addSecrets(at));
  expect(await schedulesOf(at)).toHaveLength(1);
});

test('a request without secrets, such as one of the console or of the previous release, creates a schedule', async () => {
  const at = await registerProcess(world.store);
  await create(at);
  expect(await schedulesOf(at)).toHaveLength(1);
});
