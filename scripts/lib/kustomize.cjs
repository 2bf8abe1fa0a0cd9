'use strict';
const { execFile } = require('node:child_process');
const { cp, mkdtemp, readdir, readFile, rm, writeFile } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { parseAllDocuments } = require('yaml');
const { ROOT } = require('./find-servers.cjs');
const { ensureKubernetesTools } = require('./kubernetes-tools.cjs');

const run = promisify(execFile);
const K8S_FOLDER = path.join(ROOT, 'k8s');

/** The folders of k8s/ that need secrets, each with the files of its secrets/ that are not `.env` files and have no example. */
const SECRET_FILES_WITHOUT_EXAMPLE = {
  'overlays/local': [],
  'overlays/production': ['nats.crt', 'nats.key', 'authorities.pem'],
  'components/traces-login': [],
};
/** Matches the paths of files that are not in the Git repository and may hold real secrets. */
const REAL_SECRET_PATH = /\/secrets\/(?!.*\.example$)./;

/**
 * A copy of k8s/ whose overlays have secrets, as an operator fills them in; `secretOf(key)` is the value of a key. The caller removes
 * the folder.
 */
async function copyWithSecrets(secretOf) {
  const folder = await mkdtemp(path.join(tmpdir(), 'batuta-k8s-'));
  await cp(K8S_FOLDER, folder, { recursive: true, filter: (source) => !REAL_SECRET_PATH.test(source) });
  for (const [place, files] of Object.entries(SECRET_FILES_WITHOUT_EXAMPLE)) {
    const secrets = path.join(folder, place, 'secrets');
    for (const example of await readdir(secrets)) {
      const keys = exampleKeys(example, await readFile(path.join(secrets, example), 'utf8'));
      const lines = keys.map((key) => `${key}=${secretOf(key)}\n`);
      await writeFile(path.join(secrets, example.replace(/\.example$/, '')), lines.join(''));
    }
    for (const file of files) await writeFile(path.join(secrets, file), `sample ${file}`);
  }
  return folder;
}

/** Keys of an `.env.example` file. Throws when a key has a value, which an operator could leave as the real password. */
function exampleKeys(file, text) {
  const given = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const line of given) if (!/^[A-Z0-9_]+=$/.test(line)) throw new Error(`${file}: "${line}" is not NAME=`);
  return given.map((line) => line.slice(0, -1));
}

/**
 * The objects of `kubectl kustomize` for an overlay, without the hashes in the names of ConfigMaps and Secrets. `change(folder)` may
 * change the copy of k8s/ that is rendered.
 */
async function renderOverlay(overlay, secretOf, change) {
  const { kubectl } = await ensureKubernetesTools();
  const folder = await copyWithSecrets(secretOf);
  try {
    await change?.(folder);
    const { stdout } = await run(kubectl, ['kustomize', path.join(folder, 'overlays', overlay)], {
      maxBuffer: 1 << 24,
    });
    return objectsOf(withoutHashes(stdout));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The objects of a YAML text. Throws when the text is not YAML. */
function objectsOf(text) {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(document.errors.join(', '));
    const object = document.toJS();
    return object === null ? [] : [object];
  });
}

/** Removes the hashes line by line, because reading the YAML takes longer than all the rest. */
function withoutHashes(text) {
  return text.split(/^---$/m).reduce((result, object) => {
    const [, name] =
      (/^kind: (?:ConfigMap|Secret)$/m.test(object) && /^ {2}name: (\S+-[a-z0-9]{10})$/m.exec(object)) || [];
    return name ? result.replaceAll(new RegExp(`\\b${name}$`, 'gm'), name.slice(0, -11)) : result;
  }, text);
}

module.exports = { copyWithSecrets, exampleKeys, objectsOf, renderOverlay };
