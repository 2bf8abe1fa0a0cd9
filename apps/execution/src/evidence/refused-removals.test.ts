import { createLogger, Metrics } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { SchedulerRegistry } from '@nestjs/schedule';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../test/support/wait-until';
import { FakeS3 } from '../../test/fake-s3';
import { createRunningInstance, type ClaimedInstance } from '../../test/instances';
import { backdateEnd, backdateUpload, sweepsOf } from '../../test/picture-sweeps';
import { pictureOfBytes, storageOfPicture, uploadPicture } from '../../test/pictures';
import { startWorld, type ExecutionWorld } from '../../test/world';
import { readExecutionConfig } from '../config';
import { deletePictures } from '../retention/retention.repository';
import { RetentionSweeps } from '../retention/retention.sweeps';
import type { LocatedEvidence } from './evidence.repository';
import { RemovalFaults } from './removal-faults';
import { S3Bucket } from './stores/s3-bucket';

let s3: FakeS3;
let world: ExecutionWorld;
let sweeps: ReturnType<typeof sweepsOf>;
let metrics: Metrics;
let retention: RetentionSweeps;
beforeAll(async () => {
  s3 = await FakeS3.start();
  world = await startWorld(1, s3.env);
  sweeps = sweepsOf(world);
  metrics = new Metrics('execution');
  const tasks = new PeriodicTasks(new SchedulerRegistry(), createLogger('execution', 'silent'));
  retention = new RetentionSweeps(world.store, tasks, sweeps.remover, metrics, readExecutionConfig(world.env));
});
beforeEach(() => {
  s3.fault = undefined;
  s3.refusedKeys.clear();
});
afterAll(async () => {
  metrics?.close();
  await world?.close();
  await s3?.stop();
});

async function makePictureInBucket(at: ClaimedInstance): Promise<string> {
  const evidenceID = await uploadPicture(world, at, pictureOfBytes(8));
  await waitUntil('the picture in the bucket', async () => (await storageOfPicture(world, at, evidenceID)).parts === 0);
  return evidenceID;
}

/** Makes picture and end one day older than the plan keeps them. */
async function makeOverdue(at: ClaimedInstance, evidenceID: string): Promise<void> {
  await backdateUpload(world, evidenceID, 'INTERVAL 31 DAY');
  await backdateEnd(world, at, 31);
}

const rowsOf = async (at: ClaimedInstance, evidenceID: string) => (await storageOfPicture(world, at, evidenceID)).rows;

/** Puts four pictures into the bucket and makes it refuse their deletion; after as many failures of another kind it would count as away. */
async function makeRefusedPictures(at: ClaimedInstance): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1) ids.push(await makePictureInBucket(at));
  for (const id of ids) s3.refusedKeys.add(`evidence/${id}`);
  return ids;
}

/** The value of a metric of retention in the series of pictures; 0 while there is no such series. */
async function metricOf(name: string): Promise<number> {
  const { values } = (await metrics.registry.getSingleMetric(name)?.get()) ?? { values: [] };
  return values.find(({ labels }) => labels.what === 'evidence')?.value ?? 0;
}

test('pictures whose objects the bucket refuses to delete delay the deletion of no other, and are tried again', async () => {
  const [at, other] = [await createRunningInstance(world), await createRunningInstance(world)];
  const refused = await makeRefusedPictures(at);
  const [next, others] = [await makePictureInBucket(at), await makePictureInBucket(other)];
  for (const id of [...refused, next]) await makeOverdue(at, id);
  await makeOverdue(other, others);
  await expect(retention.sweep()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  for (const id of refused) expect(await rowsOf(at, id)).toBe(1);
  expect(await rowsOf(at, next)).toBe(0);
  expect(await rowsOf(other, others)).toBe(0);
  expect(await metricOf('batuta_retention_rows_total')).toBe(2);
  expect(Math.floor((await metricOf('batuta_retention_behind_seconds')) / 86_400)).toBe(1);
  s3.refusedKeys.clear();
  await retention.sweep();
  expect(await metricOf('batuta_retention_rows_total')).toBe(6);
  expect(await metricOf('batuta_retention_behind_seconds')).toBe(0);
});

test('more refused pictures of a company than a page has delay the deletion of no younger one', async () => {
  const at = await createRunningInstance(world);
  const [refused, next] = [await makeRefusedPictures(at), await makePictureInBucket(at)];
  await makeOverdue(at, next);
  // Pictures of the same millisecond lie on both sides of the end of a page.
  const sameTime = 'UPDATE evidence SET created_at = UTC_TIMESTAMP(3) - INTERVAL 32 DAY WHERE evidence_id IN (?)';
  await world.store.write(sameTime, [refused]);
  const round = () => deletePictures(world.store, sweeps.remove, new RemovalFaults(), { pageSize: 3 });
  const { rows, behindSeconds } = await round();
  expect([rows, Math.floor(behindSeconds / 86_400)]).toEqual([1, 2]);
  expect(await rowsOf(at, next)).toBe(0);
  s3.refusedKeys.clear();
  expect(await round()).toEqual({ rows: 4, behindSeconds: 0 });
});

test('the pictures at which a round finds their store away delay the deletion of no other in the next rounds', async () => {
  const makeFourOverdue = async (at: ClaimedInstance): Promise<string[]> => {
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push(await makePictureInBucket(at));
    for (const [n, id] of ids.entries()) await backdateUpload(world, id, `INTERVAL ${40 - n} DAY`);
    await backdateEnd(world, at, 31);
    return ids;
  };
  const [one, two] = [await createRunningInstance(world), await createRunningInstance(world)];
  const pictures = [await makeFourOverdue(one), await makeFourOverdue(two)];
  const refused = new Set(pictures.flatMap((ids) => ids.slice(0, 3)));
  const remove = async (picture: LocatedEvidence): Promise<void> => {
    if (refused.has(picture.evidence_id)) throw new Error('away');
    await sweeps.remove(picture);
  };
  const continuation = {};
  const round = () => deletePictures(world.store, remove, new RemovalFaults(), { continuation, pageSize: 2 });
  const rows = [await round(), await round(), await round()].map((result) => result.rows);
  expect(rows).toEqual([0, 1, 1]);
  refused.clear();
  // The first of these rounds begins behind a picture, and the second one tries those before it.
  expect((await round()).rows + (await round()).rows).toBe(6);
  expect(await round()).toEqual({ rows: 0, behindSeconds: 0 });
});

test('a bucket that refuses hundreds of pictures, as with a wrong key, is away for the rest of the round', async () => {
  s3.fault = 'forbidden';
  const bucket = new S3Bucket(s3.settings);
  const error: unknown = await bucket.remove(uuid()).catch((thrown: unknown) => thrown);
  const faults = new RemovalFaults();
  for (let n = 0; n < 599; n += 1) faults.add(bucket.location, error);
  expect(faults.isAway(bucket.location)).toBe(false);
  faults.add(bucket.location, error);
  expect(faults.isAway(bucket.location)).toBe(true);
  expect(faults.isAway('')).toBe(false);
});

test('pictures in the database are deleted while the bucket of older ones is away', async () => {
  const [at, other] = [await createRunningInstance(world), await createRunningInstance(world)];
  const inBucket = [];
  for (let n = 0; n < 5; n += 1) inBucket.push(await makePictureInBucket(at));
  s3.fault = 'broken';
  const inDatabase = await uploadPicture(world, other, pictureOfBytes(8));
  for (const id of inBucket) await makeOverdue(at, id);
  await makeOverdue(other, inDatabase);
  const isDelete = (request: string) => request.startsWith('DELETE');
  const before = s3.requests.filter(isDelete).length;
  await expect(retention.sweep()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await rowsOf(other, inDatabase)).toBe(0);
  expect(s3.requests.filter(isDelete).length - before).toBe(3);
});

test('pictures of a deleted process whose objects the bucket refuses to delete delay the deletion of no other', async () => {
  const at = await createRunningInstance(world);
  const refused = await makeRefusedPictures(at);
  const next = await makePictureInBucket(at);
  await world.store.write('DELETE FROM process WHERE process_id = ?', [at.processID]);
  await sweeps.sweep();
  for (const id of refused) expect(await rowsOf(at, id)).toBe(1);
  expect(await rowsOf(at, next)).toBe(0);
});

test('objects without a row that the bucket refuses to delete delay the deletion of no other', async () => {
  const ids = Array.from({ length: 5 }, () => uuid());
  for (const id of ids) s3.objects.set(`evidence/${id}`, pictureOfBytes(8));
  for (const id of ids.slice(0, 4)) s3.refusedKeys.add(`evidence/${id}`);
  await sweeps.sweep();
  expect(ids.map((id) => s3.objects.has(`evidence/${id}`))).toEqual([true, true, true, true, false]);
});
