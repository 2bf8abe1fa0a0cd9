'use strict';
const { randomBytes } = require('node:crypto');
const { link, mkdir, readFile, rename, rm, writeFile } = require('node:fs/promises');
const path = require('node:path');
const { processIdentity, isRunning } = require('./process-identity.cjs');

/**
 * Acquires a lock file for this process: returns `{ release }`, or `{ heldBy }` (the holder's pid and `about`) when another
 * running process holds it. The lock of a process that was killed is taken over.
 */
async function tryLock(file, about = {}) {
  await mkdir(path.dirname(file), { recursive: true });
  const mine = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const content = JSON.stringify({ ...about, pid: process.pid, identity: processIdentity(process.pid) });
  await writeFile(mine, content, { mode: 0o600 });
  try {
    // A link appears with its whole content or not at all, so a lock is never read without its holder.
    while (!(await createLink(mine, file))) {
      const seen = await readFile(file, 'utf8').catch(() => '');
      if (seen === '') continue;
      const holder = JSON.parse(seen);
      if (isRunning(holder.pid, holder.identity)) return { heldBy: holder };
      await removeStale(file, seen, mine);
    }
  } finally {
    await rm(mine, { force: true });
  }
  return { release: () => rm(file, { force: true }) };
}

/** Runs `work` with the lock; throws when the lock is not free within `waitMs`. */
async function withLock(file, waitMs, work) {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const lock = await tryLock(file);
    if (lock.release) return work().finally(lock.release);
    if (Date.now() > deadline) throw new Error(`process ${lock.heldBy.pid} holds ${file} for too long`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function createLink(from, to) {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a stale lock. Moves it aside and compares its content first, because another process may have replaced it since it was read. */
async function removeStale(file, seen, mine) {
  const aside = `${mine}.stale`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== seen) await createLink(aside, file);
  await rm(aside, { force: true });
}

module.exports = { tryLock, withLock };
