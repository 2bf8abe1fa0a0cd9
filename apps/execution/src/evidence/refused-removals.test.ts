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
import { RetentionSweeps } from '../retention/retention.sweeps';
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

async function makeOverdue(at: ClaimedInstance, evidenceID: string): Promise<void> {
  await backdateUpload(world, evidenceID, 'INTERVAL 31 DAY');
  await backdateEnd(world, at, 31);
}

const rowsOf = async (at: ClaimedInstance, evidenceID: string) => (await storageOfPicture(world, at, evidenceID)).rows;

/** More pictures than failures that mean that a bucket is away. */
async function makeRefused(at: ClaimedInstance): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1) ids.push(await makePictureInBucket(at));
  for (const id of ids) s3.refusedKeys.add(`evidence/${id}`);
  return ids;
}

async function metricOf(name: string): Promise<number> {
  const { values } = (await metrics.registry.getSingleMetric(name)?.get()) ?? { values: [] };
  return values.find(({ labels }) => labels.what === 'evidence')?.value ?? 0;
}

test('pictures whose objects the bucket refuses to delete delay the deletion of no other, and are tried again', async () => {
  const [at, other] = [await createRunningInstance(world), await createRunningInstance(world)];
  const refused = await makeRefused(at);
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

test('a bucket that refuses thousands of pictures, as with a wrong key, is away for the rest of the round', async () => {
  s3.fault = 'forbidden';
  const bucket = new S3Bucket(s3.settings);
  const error: unknown = await bucket.remove(uuid()).catch((thrown: unknown) => thrown);
  const faults = new RemovalFaults();
  for (let n = 0; n < 2_999; n += 1) faults.add(bucket.location, error);
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
  const refused = await makeRefused(at);
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
