import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ROOT } from './find-servers.cjs';

/** The folder in which `npm start` keeps its data: BATUTA_LOCAL, else `.local`. It holds secrets; git ignores it. */
export const LOCAL_FOLDER = resolve(process.env.BATUTA_LOCAL || join(ROOT, '.local'));

const randomSecret = (bytes = 24) => randomBytes(bytes).toString('base64url');

/** The content of a JSON file of LOCAL_FOLDER; undefined when there is no such file. */
export async function readLocal(name) {
  try {
    return JSON.parse(await readFile(join(LOCAL_FOLDER, name), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`.local/${name} cannot be read: ${error.message}`, { cause: error });
  }
}

/** Writes a JSON file of LOCAL_FOLDER: atomically, because a run may be killed, and readable only for the user, because the file may hold secrets. */
export async function writeLocal(name, content) {
  await mkdir(LOCAL_FOLDER, { recursive: true });
  const file = join(LOCAL_FOLDER, name);
  const aside = `${file}.${process.pid}.new`;
  await writeFile(aside, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(aside, file);
}

/** The secrets of this checkout, created by the first run. */
export async function localSettings() {
  const known = await readLocal('settings.json');
  if (known) return known;
  const made = {
    secretKeys: `k1:${randomBytes(32).toString('base64')}`,
    databasePassword: randomSecret(),
    operator: { email: 'operator@batuta.local', password: randomSecret(12) },
    owner: { email: 'owner@demo.batuta.local', password: randomSecret(12) },
    orderToken: randomSecret(12),
  };
  await writeLocal('settings.json', made);
  return made;
}
