import { MAX_EVIDENCE_BYTES, MAX_PICTURE_BYTES, MAX_PICTURES, PICTURE_PART_BYTES } from '@batuta/agent-protocol';
import { v7 as uuid } from 'uuid';
import { endReport, sendReport, createRunningInstance, type ClaimedInstance } from '../../test/instances';
import {
  downloadPicture,
  keepPart,
  storageOfPicture,
  partOf,
  pictureOfBytes,
  uploadPicture,
  type PartRequest,
} from '../../test/pictures';
import { connectAgent, startWorld, type ExecutionWorld } from '../../test/world';
import { waitUntil } from '../../../../test/support/wait-until';
import { lockUsage } from './evidence.repository';

const MEGABYTE = 1024 * 1024;

let world: ExecutionWorld;
let running: ClaimedInstance;
beforeAll(async () => {
  world = await startWorld(2, { QUOTA_EVIDENCE_MEGABYTES: '6' });
  running = await createRunningInstance(world);
});
afterAll(() => world?.close());

const refusalReply = (code: string, message: RegExp) => ({
  accepted: false,
  code,
  message: expect.stringMatching(message),
});

test('a picture of several parts is kept and read back byte by byte', async () => {
  const at = await createRunningInstance(world);
  const content = pictureOfBytes(MEGABYTE + 4_321);
  const evidenceID = await uploadPicture(world, at, content);
  expect((await downloadPicture(world, at, evidenceID)).equals(content)).toBe(true);
  expect(await storageOfPicture(world, at, evidenceID)).toEqual({ rows: 1, parts: 5, usage: content.length });
});

test('a picture of the maximum size, and one that is a byte smaller than a part, are complete with their last part', async () => {
  for (const bytes of [MAX_PICTURE_BYTES, PICTURE_PART_BYTES - 1, PICTURE_PART_BYTES]) {
    const at = await createRunningInstance(world);
    const content = pictureOfBytes(bytes);
    expect((await downloadPicture(world, at, await uploadPicture(world, at, content))).equals(content)).toBe(true);
  }
});

test('a part that is repeated, also at two replicas at once, is stored once', async () => {
  const at = await createRunningInstance(world);
  const content = pictureOfBytes(PICTURE_PART_BYTES + 10);
  const evidenceID = uuid();
  for (const part of [1, 2, 1, 2]) {
    const request = partOf(at, content, part, { evidenceID });
    const replies = await Promise.all([keepPart(world, request), keepPart(world, request), keepPart(world, request)]);
    expect(replies).toEqual([{ accepted: true }, { accepted: true }, { accepted: true }]);
  }
  expect((await downloadPicture(world, at, evidenceID)).equals(content)).toBe(true);
  expect(await storageOfPicture(world, at, evidenceID)).toEqual({ rows: 1, parts: 2, usage: content.length });
});

test('an instance takes pictures until ten minutes after its end', async () => {
  const at = await createRunningInstance(world);
  const content = pictureOfBytes(10);
  await sendReport(world, at, 1, endReport('FINALIZED'));
  const evidenceID = await uploadPicture(world, at, content);
  expect((await downloadPicture(world, at, evidenceID)).equals(content)).toBe(true);
  await world.store.write(
    'UPDATE instance SET finished_at = UTC_TIMESTAMP(3) - INTERVAL 11 MINUTE WHERE instance_id = ?',
    [at.work.instanceID],
  );
  expect(await keepPart(world, partOf(at, content))).toEqual(refusalReply('NOT_HELD', /10 minutes/));
});

const TWO_PART_PICTURE = pictureOfBytes(PICTURE_PART_BYTES + 1);
const REFUSED_FIRST_PARTS: [string, () => Partial<PartRequest>, string, RegExp][] = [
  ['of an instance that does not exist', () => ({ instanceID: uuid() }), 'NOT_HELD', /no such run/],
  ['of another fence', () => ({ fence: 2 }), 'NOT_HELD', /no such run/],
  ['of a fence beyond every number of the database', () => ({ fence: Number.MAX_SAFE_INTEGER }), 'NOT_HELD', /./],
  ['from another environment', () => ({ environmentID: uuid() }), 'NOT_HELD', /no such run/],
  ['above 5 MB', () => ({ bytes: MAX_PICTURE_BYTES + 1 }), 'TOO_LARGE', /at most 5242880 bytes/],
  ['of a gigantic size', () => ({ bytes: Number.MAX_SAFE_INTEGER }), 'TOO_LARGE', /9007199254740991/],
  ['that begins with its second part', () => ({ part: 2 }), 'BAD_PART', /Part 1 comes first/],
  ['with a gigantic part number', () => ({ part: Number.MAX_SAFE_INTEGER }), 'BAD_PART', /Part 1/],
  [
    'whose part is too short',
    () => ({ data: TWO_PART_PICTURE.subarray(0, 99).toString('base64') }),
    'BAD_PART',
    /262144 bytes/,
  ],
  ['whose part is too long', () => ({ bytes: 9 }), 'BAD_PART', /must have 9 bytes/],
  ['of another type', () => ({ mediaType: 'image/svg+xml' }), 'BAD_MEDIA_TYPE', /image\/png or image\/jpeg/],
  ['of a name that every object has', () => ({ mediaType: 'constructor' }), 'BAD_MEDIA_TYPE', /mediaType/],
  ['whose type is not that of its bytes', () => ({ mediaType: 'image/jpeg' }), 'BAD_MEDIA_TYPE', /does not begin/],
  ['without bytes', () => ({ data: '' }), 'BAD_MEDIA_TYPE', /does not begin/],
];

test.each(REFUSED_FIRST_PARTS)(
  'a picture %s is refused, and nothing of it is kept',
  async (_what, over, code, message) => {
    const request = partOf(running, TWO_PART_PICTURE, 1, over());
    expect(await keepPart(world, request)).toEqual(refusalReply(code, message));
    expect(await storageOfPicture(world, running, request.evidenceID)).toEqual({ rows: 0, parts: 0, usage: 0 });
  },
);

const REFUSED_LATER_PARTS: [string, (first: PartRequest) => Partial<PartRequest>, string][] = [
  ['left out its predecessor', () => ({ part: 3 }), 'BAD_PART'],
  ['has another size of the picture', () => ({ bytes: TWO_PART_PICTURE.length + 1 }), 'BAD_PART'],
  ['has another type', () => ({ mediaType: 'image/jpeg' }), 'BAD_PART'],
  ['is too long', () => ({ data: 'AAAA' }), 'BAD_PART'],
];

test.each(REFUSED_LATER_PARTS)(
  'a later part that %s is refused, and nothing of the picture is kept',
  async (_what, over, code) => {
    const first = partOf(running, TWO_PART_PICTURE);
    expect(await keepPart(world, first)).toEqual({ accepted: true });
    const next = partOf(running, TWO_PART_PICTURE, 2, { evidenceID: first.evidenceID, ...over(first) });
    expect(await keepPart(world, next)).toEqual(refusalReply(code, /./));
    expect(await storageOfPicture(world, running, first.evidenceID)).toEqual({ rows: 0, parts: 0, usage: 0 });
  },
);

test('a later part of another run, or from another environment, is refused, and the upload with that id can still be completed', async () => {
  const other = await createRunningInstance(world);
  const evidenceID = uuid();
  await keepPart(world, partOf(running, TWO_PART_PICTURE, 1, { evidenceID }));
  const foreign = [
    partOf(other, TWO_PART_PICTURE, 2, { evidenceID }),
    partOf(running, TWO_PART_PICTURE, 2, { evidenceID, environmentID: other.environmentID }),
    partOf(running, TWO_PART_PICTURE, 2, { evidenceID, fence: 2 }),
  ];
  for (const part of foreign) expect(await keepPart(world, part)).toEqual(refusalReply('NOT_HELD', /no such run/));
  expect(await keepPart(world, partOf(running, TWO_PART_PICTURE, 2, { evidenceID }))).toEqual({ accepted: true });
});

test('a part with a number after the last one is refused, and the picture stays', async () => {
  const at = await createRunningInstance(world);
  const evidenceID = await uploadPicture(world, at, TWO_PART_PICTURE);
  expect(await keepPart(world, partOf(at, TWO_PART_PICTURE, 3, { evidenceID }))).toEqual(
    refusalReply('BAD_PART', /has 2 parts, not 3/),
  );
  expect((await downloadPicture(world, at, evidenceID)).equals(TWO_PART_PICTURE)).toBe(true);
});

test('an instance keeps at most a hundred pictures', async () => {
  const at = await createRunningInstance(world);
  for (let kept = 0; kept < MAX_PICTURES; kept += 1) await uploadPicture(world, at, pictureOfBytes(8));
  expect(await keepPart(world, partOf(at, pictureOfBytes(8)))).toEqual(
    refusalReply('TOO_MANY', /at most 100 pictures/),
  );
});

test('an instance keeps at most 64 MB of pictures', async () => {
  const at = await createRunningInstance(world);
  const evidenceID = await uploadPicture(world, at, pictureOfBytes(8));
  await world.store.write('UPDATE evidence SET bytes = ? WHERE evidence_id = ?', [MAX_EVIDENCE_BYTES - 8, evidenceID]);
  expect(await keepPart(world, partOf(at, pictureOfBytes(9)))).toEqual(refusalReply('TOO_MANY', /together 64 MB/));
  expect(await keepPart(world, partOf(at, pictureOfBytes(8)))).toEqual({ accepted: true });
});

test('pictures beyond the quota of the company are refused, also when they reach two replicas at the same time', async () => {
  const at = await createRunningInstance(world);
  await connectAgent(world.store, at.environmentID);
  await uploadPicture(world, at, pictureOfBytes(MAX_PICTURE_BYTES));
  const half = pictureOfBytes(PICTURE_PART_BYTES);
  const replies = await Promise.all(Array.from({ length: 6 }, () => keepPart(world, partOf(at, half))));
  expect(replies.filter(({ accepted }) => accepted)).toHaveLength(4);
  const refusals = replies.filter(({ accepted }) => !accepted);
  expect(refusals[0]).toEqual(
    refusalReply('QUOTA_EXCEEDED', /at most 6 MB of pictures .setting QUOTA_EVIDENCE_MEGABYTES/),
  );
});

test('only the owner and the starter of the instance read a picture, and only when it is complete and requested with its own instance', async () => {
  const evidenceID = uuid();
  await keepPart(world, partOf(running, TWO_PART_PICTURE, 1, { evidenceID }));
  await expect(downloadPicture(world, running, evidenceID)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringMatching(/still being uploaded/),
  });
  await keepPart(world, partOf(running, TWO_PART_PICTURE, 2, { evidenceID }));
  await expect(downloadPicture(world, running, evidenceID, uuid())).rejects.toMatchObject({
    code: 'INSTANCE_NOT_FOUND',
  });
  await expect(downloadPicture(world, running, uuid())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const other = await createRunningInstance(world);
  await expect(downloadPicture(world, other, evidenceID)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await downloadPicture(world, running, evidenceID)).equals(TWO_PART_PICTURE)).toBe(true);
});

test('a picture that is not there may still arrive while its instance takes pictures, and was deleted or never existed afterwards', async () => {
  const at = await createRunningInstance(world);
  const refusal = (message: RegExp) => ({ code: 'NOT_FOUND', message: expect.stringMatching(message) });
  await expect(downloadPicture(world, at, uuid())).rejects.toMatchObject(refusal(/or was not uploaded yet/));
  await sendReport(world, at, 1, endReport('FINALIZED'));
  await expect(downloadPicture(world, at, uuid())).rejects.toMatchObject(refusal(/or was not uploaded yet/));
  await world.store.write(
    'UPDATE instance SET finished_at = UTC_TIMESTAMP(3) - INTERVAL 11 MINUTE WHERE instance_id = ?',
    [at.work.instanceID],
  );
  await expect(downloadPicture(world, at, uuid())).rejects.toMatchObject(refusal(/or was deleted/));
});

test('no further picture of a deleted process is stored', async () => {
  const at = await createRunningInstance(world);
  await sendReport(world, at, 1, endReport('FINALIZED'));
  await world.store.write('DELETE FROM process WHERE process_id = ?', [at.processID]);
  await expect(downloadPicture(world, at, uuid())).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringMatching(/or was deleted/),
  });
  expect(await keepPart(world, partOf(at, pictureOfBytes(8)))).toMatchObject({ accepted: false, code: 'NOT_HELD' });
});

test('parts of one company that wait for a lock leave database connections free for other requests', async () => {
  const narrow = await startWorld(1, { DATABASE_POOL: '2' });
  try {
    const [busy, other] = [await createRunningInstance(narrow), await createRunningInstance(narrow)];
    await uploadPicture(narrow, busy, pictureOfBytes(8));
    const waiting = await narrow.store.transaction(async (tx) => {
      await lockUsage(tx, busy.companyID);
      const parts = Promise.all(Array.from({ length: 5 }, () => keepPart(narrow, partOf(busy, pictureOfBytes(8)))));
      const blocked = `SELECT 1 FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'INSERT INTO evidence_usage%'`;
      await waitUntil('a part that waits for the lock', async () => (await narrow.store.row(blocked)) !== undefined);
      expect(await keepPart(narrow, partOf(other, pictureOfBytes(8)))).toEqual({ accepted: true });
      return { parts };
    });
    expect((await waiting.parts).every(({ accepted }) => accepted)).toBe(true);
  } finally {
    await narrow.close();
  }
});
