import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import kustomize from '../../scripts/lib/kustomize.cjs';

/**
 * A copy of k8s whose overlay `production` has the secrets that k8s/new-secrets.sh makes: passwords, keys, an authority, and a certificate,
 * which here also names the given addresses. Returns the `folder` of the copy, that of the `overlay`, the `passwords` by name of their
 * variable, the `certificate` with its key as PEM, and the file of the `authority`.
 */
export async function makeSecrets(addresses) {
  const folder = await kustomize.copyWithSecrets(() => 'sample');
  const overlay = join(folder, 'overlays', 'production');
  const secrets = join(overlay, 'secrets');
  for (const name of ['database', 'nats', 'keys', 'operator', 'evidence']) await rm(join(secrets, `${name}.env`));
  for (const name of ['nats.crt', 'nats.key', 'authorities.pem']) await rm(join(secrets, name));
  const script = join(folder, 'new-secrets.sh');
  const text = await readFile(script, 'utf8');
  await writeFile(
    script,
    text.replace(
      'subjectAltName=DNS:nats,',
      `subjectAltName=${addresses.map((address) => `IP:${address}`).join()},DNS:localhost,DNS:nats,`,
    ),
  );
  await promisify(execFile)('sh', [script, overlay]);
  const passwords = {};
  for (const name of ['database', 'nats', 'keys', 'operator']) {
    const lines = await readFile(join(secrets, `${name}.env`), 'utf8');
    for (const [, key, value] of lines.matchAll(/^([A-Z0-9_]+)=(.*)$/gm)) passwords[key] = value;
  }
  const [key, cert] = await Promise.all(['nats.key', 'nats.crt'].map((name) => readFile(join(secrets, name), 'utf8')));
  return {
    folder,
    overlay,
    passwords,
    certificate: { key, cert },
    authority: join(secrets, 'authorities.pem'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
