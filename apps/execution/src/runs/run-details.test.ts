import { execution } from '@batuta/contracts';
import { KeyRing, sealingContexts } from '@batuta/secrets';
import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { endReport, readInstance, createRunningInstance, sendReport, viewerOf } from '../../test/instances';
import {
  countOf,
  registerProcess,
  startRequest,
  startWorld,
  type TestProcess,
  type ExecutionWorld,
} from '../../test/world';
import { deleteInstances, deleteLogsAndValues } from '../retention/retention.repository';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const matrix = [
  { name: 'total', type: 'Moeda', default: 5 },
  { name: 'pin', type: 'Secreto' },
  { name: 'other', type: 'Secreto' },
];

type EndedInstance = TestProcess & { work: { instanceID: string } };

/** An instance that started with the values and has ended. */
async function createEndedInstance(values: Record<string, unknown>): Promise<EndedInstance> {
  const at = await registerProcess(world.store, { matrix });
  const { instanceID } = await world.rpc.call(execution.start, startRequest(at, { matrix: values }));
  await world.rpc.call(execution.control, { instanceID, action: 'stop', viewer: viewerOf(at), executor: 'x' });
  return { ...at, work: { instanceID } };
}

const detailsOf = ({ work: { instanceID }, ...at }: EndedInstance) =>
  world.rpc.call(execution.runDetails, { instanceID, viewer: viewerOf(at) });

test('the values of an ended instance are kept, and its Secretos are deleted when it ends', async () => {
  const at = await createEndedInstance({ total: '1,50', pin: 'top-secret' });
  expect(await detailsOf(at)).toMatchObject({
    run: { instanceID: at.work.instanceID, status: 'stopped', retryOf: null },
    values: [
      { name: 'total', type: 'Moeda', value: 1.5 },
      { name: 'pin', type: 'Secreto', value: null, secret: true },
      { name: 'other', type: 'Secreto', value: null },
    ],
  });
  expect(await countOf(world.store, 'instance_input', 'instance_id = ?', [at.work.instanceID])).toBe(0);
});

test('an input without a Secreto stays when its instance ends', async () => {
  const at = await createEndedInstance({});
  expect((await detailsOf(at)).values?.map(({ value }) => value)).toEqual([5, null, null]);
  expect(await countOf(world.store, 'instance_input', 'instance_id = ?', [at.work.instanceID])).toBe(1);
});

test.each([
  ['instance_values', { pin: 'top-secret' }, sealingContexts.instanceValues],
  ['instance_input', {}, sealingContexts.instanceInput],
])(
  'an instance whose %s were sealed under a removed key is shown without its values, which are called unreadable',
  async (table, values, contextOf) => {
    const at = await createEndedInstance(values);
    const { instanceID } = at.work;
    const sealed = new KeyRing(`k9:${randomBytes(32).toString('base64')}`).seal('[]', contextOf(instanceID));
    await world.store.write(`UPDATE ${table} SET sealed = ? WHERE instance_id = ?`, [sealed, instanceID]);
    expect(await detailsOf(at)).toMatchObject({ run: { instanceID }, values: null, valuesUnreadable: true });
  },
);

test('large values are not kept, and neither are the values of a debug run', async () => {
  const at = await registerProcess(world.store, { matrix: [{ name: 'note', type: 'Texto' }] });
  const start = async (over: object) => {
    const { instanceID } = await world.rpc.call(execution.start, startRequest(at, over));
    const { values } = await world.rpc.call(execution.runDetails, { instanceID, viewer: viewerOf(at) });
    return values;
  };
  expect(await start({ matrix: { note: 'x'.repeat(16_000) } })).toBeNull();
  const { trigger } = startRequest(at);
  expect(await start({ trigger: { ...trigger, kind: 'debug' } })).toBeNull();
  expect(await start({ matrix: { note: 'x' } })).toEqual([{ name: 'note', type: 'Texto', value: 'x' }]);
});

test('the details of an ended instance name the agent that ran it, until its session is deleted', async () => {
  const running = await createRunningInstance(world);
  await sendReport(world, running, 1, endReport('ERROR'));
  expect(await detailsOf(running)).toMatchObject({ run: { status: 'error' }, agent: 'a' });
  await world.store.write('DELETE FROM agent_session WHERE session_id = ?', [running.sessionID]);
  expect(await detailsOf(running)).not.toHaveProperty('agent');
});

test('nobody but the starter and the owner of the process reads the details of an instance', async () => {
  const { work } = await createEndedInstance({});
  const request = { instanceID: work.instanceID, viewer: { accountID: uuid() } };
  await expect(world.rpc.call(execution.runDetails, request)).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
});

test('an instance shows the id of the instance that it repeats', async () => {
  const at = await createEndedInstance({});
  const retryOf = at.work.instanceID;
  const { instanceID } = await world.rpc.call(execution.start, startRequest(at, { retryOf }));
  const { run } = await world.rpc.call(execution.runDetails, { instanceID, viewer: viewerOf(at) });
  expect(run.retryOf).toBe(retryOf);
});

test('the values are deleted with the log lines, or with the instance', async () => {
  const at = await createRunningInstance(world, { matrix });
  await sendReport(world, at, 1, endReport('FINALIZED'));
  expect(await readInstance(world, at)).toMatchObject({ status: 'success' });
  expect((await detailsOf(at)).values).not.toBeNull();
  await world.store.write('UPDATE instance SET finished_at = finished_at - INTERVAL 40 DAY');
  await deleteLogsAndValues(world.store);
  expect((await detailsOf(at)).values).toBeNull();
  const other = await createEndedInstance({ pin: '1' });
  await world.store.write('UPDATE instance SET finished_at = finished_at - INTERVAL 40 DAY, has_log = 0');
  await deleteInstances(world.store, 30);
  for (const table of ['instance_input', 'instance_values']) {
    expect(await countOf(world.store, table, 'instance_id = ?', [other.work.instanceID])).toBe(0);
  }
});
