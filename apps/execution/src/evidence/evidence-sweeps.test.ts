import { currentTenant, withRequestID } from '@batuta/observability';
import { v7 as uuid } from 'uuid';
import { FakeS3 } from '../../test/fake-s3';
import { endReport, sendReport, createRunningInstance, viewerOf, type ClaimedInstance } from '../../test/instances';
import { backdateEnd, backdateUpload, sweepsOf } from '../../test/picture-sweeps';
import {
  downloadPicture,
  keepPart,
  storageOfPicture,
  partOf,
  pictureOfBytes,
  uploadPicture,
} from '../../test/pictures';
import { startWorld, type ExecutionWorld } from '../../test/world';
import { waitUntil } from '../../../../test/support/wait-until';
import { deleteInstances, deletePictures } from '../retention/retention.repository';
import { RemovalFaults } from './removal-faults';

// Tests make a state that a killed replica or a lost notification leaves, and run the sweeps on it.

const TWO_PARTS_BYTES = 300_000;
const NOTHING_KEPT = { rows: 0, parts: 0, usage: 0 };

let s3: FakeS3;
beforeAll(async () => {
  s3 = await FakeS3.start();
});
beforeEach(() => {
  s3.fault = undefined;
  s3.beforePut = async () => {};
});
afterAll(() => s3?.stop());

describe.each(['database', 's3'] as const)('in the %s', (kind) => {
  let world: ExecutionWorld;
  let at: ClaimedInstance;
  let sweeps: ReturnType<typeof sweepsOf>;
  beforeAll(async () => {
    world = await startWorld(1, kind === 's3' ? s3.env : {});
    sweeps = sweepsOf(world);
  });
  beforeEach(async () => {
    at = await createRunningInstance(world);
  });
  afterAll(() => world?.close());

  /** A complete picture, in the store that the settings choose. */
  async function makeCompletePicture(content = pictureOfBytes(TWO_PARTS_BYTES)): Promise<string> {
    const evidenceID = await uploadPicture(world, at, content);
    if (kind === 's3')
      await waitUntil(
        'the picture in the bucket',
        async () => (await storageOfPicture(world, at, evidenceID)).parts === 0,
      );
    return evidenceID;
  }
  const objectExists = (id: string) => (kind === 's3' ? s3.objects.has(`evidence/${id}`) : undefined);

  test('a complete picture is read from its store, and sweeps do not delete it', async () => {
    const content = pictureOfBytes(TWO_PARTS_BYTES);
    const evidenceID = await makeCompletePicture(content);
    await sweeps.sweep();
    expect((await downloadPicture(world, at, evidenceID)).equals(content)).toBe(true);
    expect(s3.objects.has(`evidence/${evidenceID}`)).toBe(kind === 's3');
  });

  test('an unfinished upload is deleted after an hour, and its bytes no longer count', async () => {
    const evidenceID = uuid();
    await keepPart(world, partOf(at, pictureOfBytes(TWO_PARTS_BYTES), 1, { evidenceID }));
    await sweeps.sweep();
    expect(await storageOfPicture(world, at, evidenceID)).toEqual({ rows: 1, parts: 1, usage: TWO_PARTS_BYTES });
    await backdateUpload(world, evidenceID, 'INTERVAL 61 MINUTE');
    await sweeps.sweep();
    expect(await storageOfPicture(world, at, evidenceID)).toEqual(NOTHING_KEPT);
    const late = await keepPart(world, partOf(at, pictureOfBytes(TWO_PARTS_BYTES), 2, { evidenceID }));
    expect(late).toMatchObject({ accepted: false, code: 'BAD_PART' });
  });

  test('pictures are deleted when the log lines of their company are, counted from the end of the instance', async () => {
    const [old, running] = [await makeCompletePicture(), await createRunningInstance(world)];
    const kept = await uploadPicture(world, running, pictureOfBytes(8));
    await sendReport(world, at, 1, endReport('FINALIZED'));
    for (const id of [old, kept]) await backdateUpload(world, id, 'INTERVAL 31 DAY');
    expect((await deletePictures(world.store, sweeps.remove, new RemovalFaults())).rows).toBe(0);
    await backdateEnd(world, at, 31);
    expect(await deletePictures(world.store, sweeps.remove, new RemovalFaults())).toEqual({
      rows: 1,
      behindSeconds: 0,
    });
    expect(await storageOfPicture(world, at, old)).toEqual(NOTHING_KEPT);
    expect(objectExists(old)).not.toBe(true);
    expect((await storageOfPicture(world, running, kept)).rows).toBe(1);
    await expect(downloadPicture(world, at, old)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('pictures are kept for more days than the setting keeps instances when the plan keeps log lines for as many', async () => {
    await world.store.write('UPDATE plan SET log_retention_days = 730');
    await backdateUpload(world, await makeCompletePicture(), 'INTERVAL 729 DAY');
    await sendReport(world, at, 1, endReport('FINALIZED'));
    await backdateEnd(world, at, 729);
    expect((await deletePictures(world.store, sweeps.remove, new RemovalFaults())).rows).toBe(0);
  });

  test('pictures of a deleted instance are deleted', async () => {
    const evidenceID = await makeCompletePicture();
    await backdateEnd(world, at, 500);
    await deleteInstances(world.store, 400);
    await sweeps.sweep();
    expect(await storageOfPicture(world, at, evidenceID)).toEqual(NOTHING_KEPT);
    expect(objectExists(evidenceID)).not.toBe(true);
  });

  test('pictures of a deleted process are deleted, also when the notification is lost', async () => {
    const [notified, found] = [await makeCompletePicture(), await makeCompletePicture()];
    await sweeps.remover.removeOfProcess(at.processID);
    expect((await storageOfPicture(world, at, notified)).rows).toBe(1);
    await world.store.write('DELETE FROM process WHERE process_id = ?', [at.processID]);
    await sweeps.sweep();
    for (const id of [notified, found]) expect(await storageOfPicture(world, at, id)).toEqual(NOTHING_KEPT);
    const other = await createRunningInstance(world);
    const last = await uploadPicture(world, other, pictureOfBytes(8));
    await world.store.write('DELETE FROM process WHERE process_id = ?', [other.processID]);
    await sweeps.remover.removeOfProcess(other.processID);
    expect(await storageOfPicture(world, other, last)).toEqual(NOTHING_KEPT);
  });

  test('bytes without a row are deleted', async () => {
    const evidenceID = uuid();
    if (kind === 's3') s3.objects.set(`evidence/${evidenceID}`, pictureOfBytes(8));
    await world.store.write('INSERT INTO evidence_part VALUES (?, 1, ?)', [evidenceID, pictureOfBytes(8)]);
    await sweeps.sweep();
    expect(await storageOfPicture(world, at, evidenceID)).toEqual(NOTHING_KEPT);
    expect(objectExists(evidenceID)).not.toBe(true);
  });

  test('a row without its bytes is deleted and no longer counts', async () => {
    const evidenceID = await makeCompletePicture();
    if (kind === 's3') s3.objects.delete(`evidence/${evidenceID}`);
    await world.store.write('DELETE FROM evidence_part WHERE evidence_id = ?', [evidenceID]);
    await expect(downloadPicture(world, at, evidenceID)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await sweeps.sweep();
    expect(await storageOfPicture(world, at, evidenceID)).toEqual(NOTHING_KEPT);
  });
});

describe('bucket', () => {
  let world: ExecutionWorld;
  let at: ClaimedInstance;
  let sweeps: ReturnType<typeof sweepsOf>;
  beforeAll(async () => {
    world = await startWorld(1, s3.env);
    sweeps = sweepsOf(world);
    at = await createRunningInstance(world);
  });
  afterAll(() => world?.close());

  test('a bucket that is away does not prevent uploads and downloads of pictures, and gets the pictures once it is back', async () => {
    s3.fault = 'broken';
    const content = pictureOfBytes(TWO_PARTS_BYTES);
    const evidenceID = await uploadPicture(world, at, content);
    await sweeps.sweep();
    expect((await downloadPicture(world, at, evidenceID)).equals(content)).toBe(true);
    s3.fault = undefined;
    await sweeps.sweep();
    expect((await storageOfPicture(world, at, evidenceID)).parts).toBe(0);
    expect((await downloadPicture(world, at, evidenceID)).equals(content)).toBe(true);
    s3.fault = 'forbidden';
    await expect(downloadPicture(world, at, evidenceID)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      // The message names neither the bucket nor its host.
      message: 'The store of the pictures is away for the moment; try again.',
    });
    await sweeps.sweep();
    expect((await storageOfPicture(world, at, evidenceID)).rows).toBe(1);
  });

  test('while a bucket is away the periodic task fails, and its line of the log names the steps that failed and the reason', async () => {
    s3.fault = 'broken';
    await uploadPicture(world, at, pictureOfBytes(TWO_PARTS_BYTES));
    const lines: unknown[] = [];
    await sweepsOf(world, { write: (line) => void lines.push(JSON.parse(line)) }).runTaskUntilItFails();
    s3.fault = undefined;
    // The task may have run again before it was stopped.
    expect(lines[0]).toEqual(
      expect.objectContaining({
        task: 'evidence',
        err: expect.objectContaining({
          message: expect.stringMatching(
            /^Failed: the comparison with the pictures in s3:\/\/pictures\/evidence\/ \(.+\); the move to the bucket \(.+\)/,
          ),
        }),
      }),
    );
  });

  test('pictures that a bucket does not take are one line of the log a minute, however many arrive', async () => {
    s3.fault = 'broken';
    await uploadPicture(world, at, pictureOfBytes(TWO_PARTS_BYTES));
    const lines: unknown[] = [];
    const { mover } = sweepsOf(world, { write: (line) => void lines.push(JSON.parse(line)) });
    for (let picture = 1; picture <= 3; picture += 1) {
      mover.wake();
      await mover.onApplicationShutdown();
    }
    s3.fault = undefined;
    expect(lines).toMatchObject([{ msg: 'pictures stay in the database, because the bucket does not take them' }]);
  });

  test('a bucket that got a picture before a replica was killed gets it again, and keeps one object', async () => {
    s3.fault = 'broken';
    const content = pictureOfBytes(TWO_PARTS_BYTES);
    const evidenceID = await uploadPicture(world, at, content);
    s3.objects.set(`evidence/${evidenceID}`, Buffer.from('half of it'));
    s3.fault = undefined;
    await sweeps.sweep();
    expect(s3.objects.get(`evidence/${evidenceID}`)?.equals(content)).toBe(true);
    expect((await storageOfPicture(world, at, evidenceID)).parts).toBe(0);
  });

  test('a picture whose object was removed from the bucket before a replica was killed loses its row at the next attempt', async () => {
    const evidenceID = await uploadPicture(world, at, pictureOfBytes(TWO_PARTS_BYTES));
    await sweeps.sweep();
    s3.objects.delete(`evidence/${evidenceID}`);
    await sweeps.remove({ evidence_id: evidenceID, location: 's3://pictures/evidence/' });
    expect((await storageOfPicture(world, at, evidenceID)).rows).toBe(0);
  });

  test('a bucket gets the pictures after one that it refuses, and after one whose bytes were lost', async () => {
    s3.fault = 'broken';
    const [lost, refused, next] = [uuid(), uuid(), uuid()];
    for (const evidenceID of [lost, refused, next])
      await keepPart(world, partOf(at, pictureOfBytes(8), 1, { evidenceID }));
    await world.store.write('DELETE FROM evidence_part WHERE evidence_id = ?', [lost]);
    s3.refusedKeys.add(`evidence/${refused}`);
    s3.fault = undefined;
    await expect(sweeps.mover.moveAll()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(s3.objects.has(`evidence/${next}`)).toBe(true);
    s3.refusedKeys.clear();
    await sweeps.sweep();
    expect(s3.objects.has(`evidence/${refused}`)).toBe(true);
  });

  test('a bucket gets the pictures after any number of those that it refuses', async () => {
    s3.fault = 'broken';
    const refused = Array.from({ length: 7 }, () => uuid());
    const next = uuid();
    for (const evidenceID of [...refused, next])
      await keepPart(world, partOf(at, pictureOfBytes(8), 1, { evidenceID }));
    for (const id of refused) s3.refusedKeys.add(`evidence/${id}`);
    s3.fault = undefined;
    for (let round = 0; round < 3; round += 1)
      await expect(sweeps.mover.moveAll()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(s3.objects.has(`evidence/${next}`)).toBe(true);
    s3.refusedKeys.clear();
    await sweeps.mover.moveAll();
    expect(refused.every((id) => s3.objects.has(`evidence/${id}`))).toBe(true);
  });

  test('a bucket does not keep an object whose row was deleted while it was written', async () => {
    s3.fault = 'broken';
    const evidenceID = await uploadPicture(world, at, pictureOfBytes(TWO_PARTS_BYTES));
    s3.fault = undefined;
    s3.beforePut = () => sweeps.remove({ evidence_id: evidenceID, location: '' });
    await sweeps.mover.moveAll();
    // The service itself may be moving the picture at the same time.
    await waitUntil('the object is gone', () => !s3.objects.has(`evidence/${evidenceID}`));
    expect((await storageOfPicture(world, at, evidenceID)).rows).toBe(0);
  });

  test('a bucket gets the pictures of every tenant from a task without a tenant, whoever sent the last part', async () => {
    const tenants: (string | undefined)[] = [];
    const moving = jest.spyOn(sweeps.mover, 'moveAll').mockImplementation(async () => {
      tenants.push(currentTenant());
    });
    withRequestID(undefined, () => sweeps.mover.wake(), { tenant: 'one' });
    await sweeps.mover.onApplicationShutdown();
    moving.mockRestore();
    expect(tenants).toEqual([undefined]);
  });

  test('a bucket that no setting names any more makes its pictures not found, and retention deletes their rows', async () => {
    const evidenceID = await uploadPicture(world, at, pictureOfBytes(TWO_PARTS_BYTES));
    await sweeps.sweep();
    const others = sweepsOf({ ...world, env: { ...world.env, EVIDENCE_STORE: 'database', EVIDENCE_S3_BUCKET: '' } });
    await others.sweep();
    expect((await storageOfPicture(world, at, evidenceID)).rows).toBe(1);
    const { instanceID } = at.work;
    const read = others.query.page({ instanceID, evidenceID, viewer: viewerOf(at), offset: 0 });
    await expect(read).rejects.toMatchObject({ code: 'NOT_FOUND', message: expect.stringMatching(/no longer uses/) });
    await others.remove({ evidence_id: evidenceID, location: 's3://pictures/evidence/' });
    expect((await storageOfPicture(world, at, evidenceID)).rows).toBe(0);
  });
});
