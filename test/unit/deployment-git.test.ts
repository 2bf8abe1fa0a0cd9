import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/deployment/settings';

const run = promisify(execFile);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-repository-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function ignored(...paths: string[]): Promise<string[]> {
  const { stdout } = await run('git', ['check-ignore', ...paths], { cwd: ROOT });
  return stdout.split('\n').filter((line) => line !== '');
}

test('git keeps the secrets out of a copy of k8s in a repository of its own', async () => {
  const isReal = (source: string) => /\/secrets\/(?!.*\.example$)./.test(source);
  await cp(join(ROOT, 'k8s'), join(folder, 'k8s'), { recursive: true, filter: (source) => !isReal(source) });
  await run('git', ['init', '--quiet'], { cwd: folder });
  await run('git', ['add', '--all'], { cwd: folder });
  for (const place of ['overlays/local', 'overlays/production', 'components/traces-login'])
    await run('sh', [join(folder, 'k8s/new-secrets.sh'), join(folder, 'k8s', place)]);
  await writeFile(join(folder, 'k8s', 'cosign.key'), 'secret');
  expect(await readdir(join(folder, 'k8s/overlays/production/secrets'))).toContain('nats.key');
  const { stdout } = await run('git', ['status', '--porcelain', '--untracked-files=all'], { cwd: folder });
  const added = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('A '));
  expect(added).toEqual([]);
  expect(stdout).toContain('k8s/overlays/production/secrets/nats.env.example');
});

test('git keeps the secrets out of this repository', async () => {
  const secret = [
    '.env',
    'secrets/SECRET_KEYS',
    'settings.env',
    'settings.gateway.env',
    'cosign.key',
    'k8s/overlays/production/secrets/nats.key',
    'k8s/overlays/another/secrets/database.env',
    'k8s/components/traces-login/secrets/traces.env',
  ];
  expect(await ignored(...secret, 'k8s/overlays/another/secrets/database.env.example')).toEqual(secret);
});
