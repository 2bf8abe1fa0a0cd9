import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import dependencies from '../../scripts/lib/dependencies.cjs';
import { withLock } from '../../scripts/lib/file-lock.cjs';
import { ROOT } from '../../scripts/lib/find-servers.cjs';

const run = promisify(execFile);
const RELEASES = join(ROOT, '.local', 'releases');
const PREPARE_TIME_LIMIT_MS = 10 * 60_000;
/** Maximum output of npm and of the build, which Node keeps in memory. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** This release: the checkout itself, which is built. */
export const THIS_RELEASE = { name: 'new', folder: ROOT };

/** The commit and the last migration of the previous release, from package.json. */
export async function readPreviousRelease() {
  return JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')).previousRelease;
}

/** The commit of `ref`, by default of the previous release; undefined when the clone lacks the commit and cannot fetch it. */
export async function findCommit(ref) {
  const wanted = ref ?? (await readPreviousRelease()).commit;
  return (await commitOf(wanted)) ?? (await fetchCommit(wanted));
}

async function commitOf(ref) {
  try {
    const { stdout } = await run('git', ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], { cwd: ROOT });
    return stdout.trim();
  } catch {
    return undefined;
  }
}

/** Fetches a commit, because a shallow clone has only the newest ones; undefined when the remote does not give it. */
async function fetchCommit(ref) {
  try {
    // git must not ask for a password, because nobody may be there to type it.
    const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
    await run('git', ['fetch', '--quiet', '--depth=1', 'origin', ref], { cwd: ROOT, timeout: 60_000, env });
    return await commitOf('FETCH_HEAD');
  } catch {
    return undefined;
  }
}

/** Checks the commit out into `.local/releases`, installs and builds it there, unless an earlier run has done so; returns the release. */
export async function buildRelease(commit, { say }) {
  const folder = join(RELEASES, commit);
  const stamp = join(folder, '.built');
  await mkdir(RELEASES, { recursive: true });
  await withLock(`${folder}.lock`, PREPARE_TIME_LIMIT_MS, async () => {
    if (existsSync(stamp)) return;
    say(`Building the release ${commit.slice(0, 8)} in ${folder} …`);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    const archive = `${folder}.tar`;
    await run('git', ['archive', '--output', archive, commit], { cwd: ROOT });
    await run('tar', ['-xf', archive, '-C', folder]);
    await rm(archive);
    await provideModules(folder, say);
    await run(process.execPath, [join(folder, 'scripts', 'build.mjs')], { cwd: folder, maxBuffer: MAX_OUTPUT_BYTES });
    await writeFile(stamp, commit);
  });
  return { name: 'old', folder, commit };
}

/**
 * Provides the packages of the release. When the packages that its programs load are installed in this checkout in the same versions, links
 * these; otherwise npm installs them.
 */
async function provideModules(folder, say) {
  const [wanted, present] = await Promise.all(
    [join(folder, 'package-lock.json'), join(ROOT, 'node_modules', '.package-lock.json')].map(packagesIn),
  );
  const differs = Object.entries(wanted).some(
    ([name, { version, dev, optional }]) => name !== '' && !dev && !optional && present[name]?.version !== version,
  );
  if (!differs) return symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  say('Installing its packages …');
  const { command, first } = dependencies.npmCommand();
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--include=dev', '--loglevel=error'];
  return run(command, [...first, ...args], { cwd: folder, maxBuffer: MAX_OUTPUT_BYTES });
}

async function packagesIn(file) {
  return JSON.parse(await readFile(file, 'utf8')).packages;
}
