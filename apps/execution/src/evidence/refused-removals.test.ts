import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../test/support/wait-until';
import { FakeS3 } from '../../test/fake-s3';
import { createRunningInstance, type ClaimedInstance } from '../../test/instances';
import { backdateEnd, backdateUpload, sweepsOf } from '../../test/picture-sweeps';
import { pictureOfBytes, storageOfPicture, uploadPicture } from '../../test/pictures';
import { startWorld, type ExecutionWorld } from '../../test/world';
import { deletePictures } from '../retention/retention.repository';

let s3: FakeS3;
let world: ExecutionWorld;
let sweeps: ReturnType<typeof sweepsOf>;
beforeAll(async () => {
  s3 = await FakeS3.start();
  world = await startWorld(1, s3.env);
  sweeps = sweepsOf(world);
});
beforeEach(() => {
  s3.fault = undefined;
  s3.refusedKeys.clear();
});
afterAll(async () => {
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

test('a picture whose object the bucket refuses to delete delays the deletion of no other, and is tried again', async () => {
  const [at, other] = [await createRunningInstance(world), await createRunningInstance(world)];
  const [refused, next, others] = [
    await makePictureInBucket(at),
    await makePictureInBucket(at),
    await makePictureInBucket(other),
  ];
  for (const id of [refused, next]) await makeOverdue(at, id);
  await makeOverdue(other, others);
  s3.refusedKeys.add(`evidence/${refused}`);
  await expect(deletePictures(world.store, sweeps.remove)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await rowsOf(at, refused)).toBe(1);
  expect(await rowsOf(at, next)).toBe(0);
  expect(await rowsOf(other, others)).toBe(0);
  s3.refusedKeys.clear();
  expect((await deletePictures(world.store, sweeps.remove)).rows).toBe(1);
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
  await expect(deletePictures(world.store, sweeps.remove)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await rowsOf(other, inDatabase)).toBe(0);
  expect(s3.requests.filter(isDelete).length - before).toBe(3);
});

test('a picture of a deleted process whose object the bucket refuses to delete delays the deletion of no other', async () => {
  const at = await createRunningInstance(world);
  const [refused, next] = [await makePictureInBucket(at), await makePictureInBucket(at)];
  await world.store.write('DELETE FROM process WHERE process_id = ?', [at.processID]);
  s3.refusedKeys.add(`evidence/${refused}`);
  await sweeps.sweep();
  expect(await rowsOf(at, refused)).toBe(1);
  expect(await rowsOf(at, next)).toBe(0);
});

test('an object without a row that the bucket refuses to delete delays the deletion of no other', async () => {
  const [refused, next] = [uuid(), uuid()];
  for (const id of [refused, next]) s3.objects.set(`evidence/${id}`, pictureOfBytes(8));
  s3.refusedKeys.add(`evidence/${refused}`);
  await sweeps.sweep();
  expect([refused, next].map((id) => s3.objects.has(`evidence/${id}`))).toEqual([true, false]);
});
