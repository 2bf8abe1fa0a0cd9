import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ROOT } from './find-servers.cjs';

/** The folder in which `npm start` keeps its data: BATUTA_LOCAL, else `.local`. It holds secrets; git ignores it. */
export const LOCAL = resolve(process.env.BATUTA_LOCAL || join(ROOT, '.local'));

const secret = (bytes = 24) => randomBytes(bytes).toString('base64url');

export async function readLocal(name) {
  try {
    return JSON.parse(await readFile(join(LOCAL, name), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`.local/${name} cannot be read: ${error.message}`, { cause: error });
  }
}

/** Writes atomically, because a run may be killed, and readable only for the user, because the file holds secrets. */
export async function writeLocal(name, content) {
  await mkdir(LOCAL, { recursive: true });
  const file = join(LOCAL, name);
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
    databasePassword: secret(),
    operator: { email: 'operator@batuta.local', password: secret(12) },
    owner: { email: 'owner@demo.batuta.local', password: secret(12) },
    orderToken: secret(12),
  };
  await writeLocal('settings.json', made);
  return made;
}
