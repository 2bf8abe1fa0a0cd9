import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureKubernetesTools } from '../../scripts/lib/kubernetes-tools.cjs';
import { copyWithSecrets } from '../../scripts/lib/kustomize.cjs';
import { FakeCluster } from '../support/deployment/fake-cluster';
import { ROOT, SERVICES, sampleSecret } from '../support/deployment/settings';
import { readOperations } from '../support/operations-document';

// The commands of the documentation for Kubernetes, run by kubectl against a fake API of a cluster.

let home: string;
let cluster: FakeCluster;
let kubeconfig: string;
let overlays: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'batuta-commands-'));
  const { kubectl } = await ensureKubernetesTools();
  await mkdir(join(home, 'bin'));
  await writeFile(join(home, 'bin', 'kubectl'), kubectlInJson(kubectl), { mode: 0o755 });
  // The commands end with a call of the public API, which no gateway answers here.
  await writeFile(join(home, 'bin', 'curl'), '#!/bin/sh\n');
  await chmod(join(home, 'bin', 'curl'), 0o755);
  overlays = await copyWithSecrets(sampleSecret);
  await symlink(overlays, join(home, 'k8s'));
  cluster = new FakeCluster();
  kubeconfig = await cluster.start(home);
});
afterEach(async () => {
  await cluster.close();
  await Promise.all([home, overlays].map((folder) => rm(folder, { recursive: true })));
});

/** `kubectl create secret` and `create job` send protobuf. This wrapper lets them print the object, which it then creates as JSON. */
const kubectlInJson = (kubectl: string) => `#!/bin/sh
case "$*" in
  *' --dry-run'*) exec '${kubectl}' "$@" ;;
  *' create secret '* | *' create job '*) '${kubectl}' "$@" --dry-run=client --output=json | '${kubectl}' create --filename - ;;
  *) exec '${kubectl}' "$@" ;;
esac
`;

async function sh(script: string): Promise<string> {
  const env = { PATH: `${join(home, 'bin')}:${process.env['PATH']}`, HOME: home, KUBECONFIG: kubeconfig };
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', script], { cwd: home, env });
  return stdout;
}

/** The blocks of commands in a document between two texts. */
function blocksIn(document: string, from: string, to: string): string[] {
  const begin = document.indexOf(from);
  const part = document.slice(begin, document.indexOf(to, begin));
  return Array.from(part.matchAll(/^( *)```sh\n([^]*?)^ *```/gm), ([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

const deployment = () => readFile(join(ROOT, 'docs/deployment.md'), 'utf8');
const replicas = () =>
  Object.fromEntries(SERVICES.map((name) => [name, Object(cluster.find(`deployments/${name}`)?.['spec']).replicas]));
const suspended = () =>
  ['backup-full', 'backup-logs'].map((name) => Object(cluster.find(`cronjobs/${name}`)?.['spec']).suspend);
const everyService = (count: number) => Object.fromEntries(SERVICES.map((name) => [name, count]));

async function install(): Promise<void> {
  const [apply = ''] = blocksIn(await deployment(), '8. **Apply**', '### Upgrade');
  await sh(apply);
}

test('the commands of an upgrade wait until every service has new replicas, not only until the old ones are available', async () => {
  await install();
  const [apply = ''] = blocksIn(await deployment(), '8. **Apply**', '### Upgrade');
  const [, afterApply = ''] = apply.split(/^kubectl apply .*$/m);
  const waits = (limit: string) => afterApply.replaceAll(/--timeout=\w+/g, `--timeout=${limit}`);
  await sh(waits('1m'));
  Object.assign(Object(cluster.find('deployments/schedule')?.['status']), { updatedReplicas: 0 });
  await expect(sh(waits('5s'))).rejects.toMatchObject({
    stdout: expect.stringContaining('Waiting for deployment "schedule" rollout'),
  });
});

test('the commands of a restoration end with a restored database, services that run, and backups that go on', async () => {
  await install();
  const backup = blocksIn(await readOperations(), '2. **Schedule.**', '3. **Watch.**');
  // Leaves out the lines that ask Docker for the digest of the image.
  await sh(backup.map((block) => block.replaceAll(/^(?:docker|mariadb=|sh k8s\/set-image).*\n/gm, '')).join('\n'));
  await sh('kubectl --namespace batuta scale deployment --all --replicas=4');

  const blocks = blocksIn(
    await readOperations(),
    'In Kubernetes these steps are the following',
    'In compose, in the folder',
  );
  const [stop = '', emptyDisk = '', restore = '', resume = ''] = blocks;
  await sh(stop);
  expect(replicas()).toEqual(everyService(0));
  expect(suspended()).toEqual([true, true]);
  expect(emptyDisk).toContain('data-mariadb-0');
  // People run all blocks in one shell. Here each block has a shell of its own, which defines the functions and variables of the first block again.
  const variables = stop.split('\n').filter((line) => /^(?:overlay|k\(\)|password|sql)/.test(line));
  await sh([...variables, restore].join('\n'));
  expect(replicas()).toEqual(everyService(2));
  expect(cluster.find('jobs/restore-1')?.['spec']).toMatchObject({
    template: { spec: { containers: [{ command: ['bash', '/scripts/restore.sh', '/backups', '$(MOMENT)'] }] } },
  });
  expect(cluster.find('secrets/batuta-restore')).toBeUndefined();
  const order = ['create jobs/restore-1', 'create jobs/migrate', 'change deployments/gateway'];
  const last = order.map((change) => cluster.changes.lastIndexOf(change));
  expect(last).toEqual(last.toSorted((a, b) => a - b));
  expect(last).not.toContain(-1);

  await sh([...variables, resume].join('\n'));
  expect(suspended()).toEqual([false, false]);
  expect(cluster.find('jobs/backup-first')?.['spec']).toMatchObject({
    template: { spec: { containers: [{ command: ['bash', '/scripts/backup.sh', 'first', '/backups'] }] } },
  });
});

test('the commands of the overlay local empty the disk of its database', async () => {
  await sh('kubectl apply --kustomize k8s/overlays/local');
  const pod = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data-mariadb-0' } };
  cluster.objects.set('persistentvolumeclaims/data-mariadb-0', pod);
  const blocks = blocksIn(
    await readOperations(),
    'In Kubernetes these steps are the following',
    'In compose, in the folder',
  );
  const [, emptyDisk = ''] = blocks;
  await sh(`k() { kubectl --namespace batuta "$@"; }\n${emptyDisk.replace('echo "$sql" | as_root', '')}`);
  expect(cluster.find('persistentvolumeclaims/data-mariadb-0')).toBeUndefined();
  expect(Object(cluster.find('statefulsets/mariadb')?.['spec']).replicas).toBe(1);
});

test('the commands after a rotation of keys delete the Secrets of old keys, and not the one in use', async () => {
  await install();
  await writeFile(
    join(home, 'k8s/overlays/production/secrets/keys.env'),
    `SECRET_KEYS=${sampleSecret('SECRET_KEYS').split(',')[0]}\n`,
  );
  const keys = () => [...cluster.objects.keys()].filter((path) => path.startsWith('secrets/batuta-keys-'));
  const [old = ''] = keys();
  await install();
  const [, current = ''] = keys();
  expect(current).not.toBe('');
  const [remove = ''] = blocksIn(await readOperations(), '## Rotating a key', '## Backup and restore');
  await sh(remove);
  expect(keys()).toEqual([current]);
  expect(cluster.find(old)).toBeUndefined();
});
