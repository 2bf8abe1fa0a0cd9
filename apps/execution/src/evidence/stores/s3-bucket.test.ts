import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { FakeS3 } from '../../../test/fake-s3';
import { S3Bucket } from './s3-bucket';

let s3: FakeS3;
let bucket: S3Bucket;

beforeAll(async () => {
  s3 = await FakeS3.start();
  bucket = new S3Bucket(s3.settings);
});
beforeEach(() => {
  s3.fault = undefined;
});
afterAll(() => s3?.stop());

const CONTENT = Buffer.from('0123456789');

test('an object is written, read by ranges, listed and removed with requests that are signed', async () => {
  const ids = [uuid(), uuid(), uuid()].toSorted();
  for (const id of ids) await bucket.put(id, CONTENT);
  const [first = '', second = '', third = ''] = ids;
  expect(await bucket.read(first, 2, 3)).toEqual(Buffer.from('234'));
  expect(await bucket.list('', 2)).toEqual([first, second]);
  expect(await bucket.list(second, 2)).toEqual([third]);
  await bucket.remove(first);
  await bucket.remove(first);
  expect(await bucket.read(first, 0, 1)).toBeUndefined();
  expect([...s3.objects.keys()]).toEqual([`evidence/${second}`, `evidence/${third}`]);
});

test('a list contains only objects that the service wrote, and continues after other objects and after a short page', async () => {
  const ids = [uuid(), uuid()].toSorted();
  for (const id of ids) await bucket.put(id, CONTENT);
  for (const key of ['0', '00000000-readme.txt', 'z']) s3.objects.set(`evidence/${key}`, CONTENT);
  s3.maxKeys = 1;
  const listed = await bucket.list('', 500);
  expect(listed.filter((id) => ids.includes(id))).toEqual(ids);
  expect(listed.every((id) => id.length === 36)).toBe(true);
});

test.each(['secretAccessKey', 'region'] as const)('a wrong %s is refused by the server', async (name) => {
  const wrong = new S3Bucket({ ...s3.settings, [name]: 'other' });
  await expect(wrong.put(uuid(), CONTENT)).rejects.toThrow(/answered 403/);
});

test.each([
  ['forbidden', /answered 403/],
  ['broken', /answered 500/],
  ['noBucket', /answered 404/],
  ['cut', /./],
  ['silent', /./],
] as const)(
  'while the server is %s every operation is UNAVAILABLE, and nothing counts as missing',
  async (fault, why) => {
    const id = uuid();
    await bucket.put(id, CONTENT);
    s3.fault = fault;
    // Only the silent server may exceed the time limit. The others keep the usual limit, because on a busy machine they may answer late.
    const limited = fault === 'silent' ? new S3Bucket(s3.settings, { requestMs: 100, putMs: 100 }) : bucket;
    const operations = [
      () => limited.put(id, CONTENT),
      () => limited.read(id, 0, 10),
      () => limited.remove(id),
      () => limited.list('', 10),
    ];
    for (const operation of operations) {
      const error: unknown = await operation().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(why) });
    }
  },
);

test('a write of an object may take longer than the time limit of other requests', async () => {
  const bucketWithLongPut = new S3Bucket(s3.settings, { requestMs: 50, putMs: 60_000 });
  const id = uuid();
  s3.beforePut = () => new Promise((resolve) => setTimeout(resolve, 100));
  await bucketWithLongPut.put(id, CONTENT);
  s3.beforePut = async () => {};
  expect(s3.objects.has(`evidence/${id}`)).toBe(true);
});

test('a response with an interrupted or too short body is UNAVAILABLE', async () => {
  const id = uuid();
  await bucket.put(id, CONTENT);
  await expect(bucket.read(id, 5, 10)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  s3.fault = 'cutInBody';
  await expect(bucket.read(id, 0, 10)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('a server that compresses an object and closes the connection does not end the service', async () => {
  const id = uuid();
  // More than the buffers between the server and the reader hold.
  const content = randomBytes(1_500_000);
  const patientBucket = new S3Bucket(s3.settings, { requestMs: 60_000, putMs: 60_000 });
  await patientBucket.put(id, content);
  s3.fault = 'compressed';
  for (let attempt = 0; attempt < 3; attempt += 1) {
    expect((await patientBucket.read(id, 0, content.length))?.equals(content)).toBe(true);
  }
});
