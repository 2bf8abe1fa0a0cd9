import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryLock, withLock } from '../../scripts/lib/file-lock.cjs';

const LOCK_MODULE = join(__dirname, '..', '..', 'scripts', 'lib', 'file-lock.cjs');
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-lock-'));
  file = join(folder, 'the.lock');
});
afterEach(() => rm(folder, { recursive: true }));

test('a lock names its holder until it is released', async () => {
  const first = await tryLock(file, { doing: 'something' });
  expect((await tryLock(file)).heldBy).toMatchObject({ pid: process.pid, doing: 'something' });
  await first.release?.();
  expect((await tryLock(file)).release).toBeDefined();
});

test('a lock of a killed process is taken over', async () => {
  const code = `require(${JSON.stringify(LOCK_MODULE)}).tryLock(${JSON.stringify(file)}).then(() => process.kill(process.pid, 'SIGKILL'))`;
  expect(spawnSync(process.execPath, ['-e', code]).signal).toBe('SIGKILL');
  expect((await tryLock(file)).release).toBeDefined();
});

test('a lock has one holder at a time', async () => {
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await new Promise(setImmediate);
    inside--;
  };
  await Promise.all(Array.from({ length: 3 }, () => withLock(file, 60_000, work)));
  expect(most).toBe(1);
});
