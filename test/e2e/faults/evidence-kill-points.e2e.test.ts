import { PICTURE_PART_BYTES } from '@batuta/agent-protocol';
import { execution } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { FakeS3 } from '../../../apps/execution/test/fake-s3';
import { createRunningInstance, type ClaimedInstance } from '../../../apps/execution/test/instances';
import { downloadPicture, storageOfPicture, partOf, pictureOfBytes } from '../../../apps/execution/test/pictures';
import { countOf, startWorld, type ExecutionWorld } from '../../../apps/execution/test/world';
import { waitUntil } from '../../support/wait-until';
import { ServiceProcess } from '../support/stack/service-process';

// Replicas of execution kill themselves (SIGKILL) while they store, move or delete a picture. Afterwards every acknowledged picture
// can be read, and nothing is left of other pictures.

const PICTURE_BYTES = PICTURE_PART_BYTES + 1_000;
/** Time limit of a call, as short as a router's: a killed replica gives no reply, and another one is asked. */
const REPLY_TIME_LIMIT_MS = 1_000;
const KILL_TIME_LIMIT_MS = 60_000;

let s3: FakeS3;
let world: ExecutionWorld;
/** A running instance, to which the pictures belong. */
let instance: ClaimedInstance;
/** The replicas of execution that the current test has started, also those that died. */
let processes: ServiceProcess[] = [];

beforeAll(async () => {
  s3 = await FakeS3.start();
  world = await startWorld(1, s3.env);
});
beforeEach(async () => {
  s3.objects.clear();
  instance = await createRunningInstance(world);
});
afterEach(async () => {
  await Promise.all(processes.map((process) => process.stop()));
  processes = [];
});
afterAll(async () => {
  await world?.close();
  await s3?.stop();
});

test.each(['mid-evidence@3', 'evidence-in-bucket@2'])(
  'a kill of execution at %s loses no picture and stores none twice',
  async (point) => {
    const armed = await startExecution({ BATUTA_FAULT: `execution:${point}` });
    const pictures = new Map<string, Buffer>();
    const deadline = Date.now() + KILL_TIME_LIMIT_MS;
    while (armed.isAlive && Date.now() < deadline) {
      const content = pictureOfBytes(PICTURE_BYTES);
      pictures.set(await upload(content), content);
    }
    expect((await armed.exited).signal).toBe('SIGKILL');
    await startSweeper();
    const left = () => countOf(world.store, 'evidence_part', 'evidence_id IN (?)', [[...pictures.keys()]]);
    await waitUntil('every picture in the bucket', async () => (await left()) === 0);
    expect([...s3.objects.keys()].toSorted()).toEqual([...pictures.keys()].map((id) => `evidence/${id}`).toSorted());
    for (const [id, content] of pictures)
      expect((await downloadPicture(world, instance, id)).equals(content)).toBe(true);
    const [someID = ''] = pictures.keys();
    expect(await storageOfPicture(world, instance, someID)).toEqual({
      rows: 1,
      parts: 0,
      usage: pictures.size * PICTURE_BYTES,
    });
  },
);

test('after a kill between the deletion of a picture in the bucket and that of its row, the next sweep deletes the row and frees its bytes', async () => {
  const ids = [await upload(pictureOfBytes(PICTURE_BYTES)), await upload(pictureOfBytes(PICTURE_BYTES))];
  await waitUntil('the pictures in the bucket', () => s3.objects.size === ids.length);
  const armed = await startSweeper({ BATUTA_FAULT: 'execution:evidence-object-removed' });
  await world.store.write(
    `UPDATE evidence e JOIN instance i ON i.instance_id = e.instance_id
        SET i.status = 'success', i.finished_at = UTC_TIMESTAMP(3) - INTERVAL 40 DAY,
            e.created_at = UTC_TIMESTAMP(3) - INTERVAL 40 DAY WHERE e.evidence_id IN (?)`,
    [ids],
  );
  expect((await armed.exited).signal).toBe('SIGKILL');
  expect([s3.objects.size, await countOf(world.store, 'evidence', 'evidence_id IN (?)', [ids])]).toEqual([1, 2]);
  await startSweeper();
  const rows = () => countOf(world.store, 'evidence', 'evidence_id IN (?)', [ids]);
  await waitUntil('the deletion of both rows', async () => (await rows()) === 0);
  expect(s3.objects.size).toBe(0);
  expect(await storageOfPicture(world, instance, ids[0] ?? '')).toEqual({ rows: 0, parts: 0, usage: 0 });
});

async function startExecution(env: NodeJS.ProcessEnv): Promise<ServiceProcess> {
  const process = await ServiceProcess.start('execution', { ...world.env, ...env });
  processes.push(process);
  return process;
}

/** Starts a replica that moves pictures into the bucket and deletes expired ones every 50 ms. */
const startSweeper = (env: NodeJS.ProcessEnv = {}) => startExecution({ RETENTION_SWEEP_MS: '50', ...env });

/** Sends each part until it is acknowledged, as a router does; returns the id of the picture. */
async function upload(content: Buffer): Promise<string> {
  const evidenceID = uuid();
  for (const part of [1, 2]) {
    const request = partOf(instance, content, part, { evidenceID });
    const reply = await waitUntil('the acknowledgement of a part', () =>
      world.rpc.call(execution.keepEvidence, request, { timeout: REPLY_TIME_LIMIT_MS }),
    );
    if (!reply.accepted) throw new Error(reply.message);
  }
  return evidenceID;
}
