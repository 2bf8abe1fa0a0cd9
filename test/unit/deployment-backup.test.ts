import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { renderOverlay } from '../../scripts/lib/kustomize.cjs';
import { schemaProblems } from '../support/deployment/kubernetes-schema';
import { ofKind, parseManifest, type Manifest } from '../support/deployment/manifest';
import { containersIn, mountedSecrets } from '../support/deployment/manifest-parts';
import { podRules } from '../support/deployment/pod-rules';
import { ROOT, sampleSecret } from '../support/deployment/settings';
import { productionRules } from '../support/deployment/wiring-rules';
import { readOperations } from '../support/operations-document';
import * as s from '../support/shape';

// The scheduled backups, whose manifests and compose file an operator adds to those of the services.

let documents: Awaited<ReturnType<typeof renderOverlay>>;
let manifests: Manifest[];

beforeAll(async () => {
  documents = await renderOverlay('../backup', sampleSecret);
  manifests = documents.map((document) => parseManifest(document));
});

test.each(Object.entries(podRules))('the jobs of the backup keep the rule: %s', (_name, rule) => {
  expect(rule(manifests)).toEqual([]);
});

test('the objects of the backup have only fields that the schemas of Kubernetes have, and are in the namespace', () => {
  expect(documents.flatMap(schemaProblems)).toEqual([]);
  expect(new Set(manifests.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['batuta']));
});

test('a dump is made every night and the binary log is copied every ten minutes; a restoration runs only when it is started', () => {
  const jobs = ofKind(manifests, 'CronJob').map(({ spec }) => [spec.schedule, spec.suspend ?? false]);
  expect(jobs).toEqual([
    ['17 2 * * *', false],
    ['*/10 * * * *', false],
    ['0 0 1 1 *', true],
  ]);
  expect(containersIn(manifests).map(({ container: { command } }) => command)).toEqual([
    ['bash', '/scripts/backup.sh', 'full', '/backups'],
    ['bash', '/scripts/backup.sh', 'logs', '/backups'],
    ['bash', '/scripts/restore.sh', '/backups', '$(MOMENT)'],
  ]);
});

test('all jobs use one claimed volume, which one node at a time may have, and therefore run on the same node', () => {
  const [claim] = ofKind(manifests, 'PersistentVolumeClaim');
  expect(claim?.spec.accessModes).toEqual(['ReadWriteOnce']);
  for (const { spec } of ofKind(manifests, 'CronJob')) {
    const { metadata, spec: pod } = spec.jobTemplate.spec.template;
    const volumes = pod.volumes.map((volume) => volume.persistentVolumeClaim?.claimName);
    expect(volumes).toContain(claim?.metadata.name);
    const [together] = pod.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    expect(together?.topologyKey).toBe('kubernetes.io/hostname');
    expect(metadata.labels).toMatchObject(together?.labelSelector.matchLabels ?? { none: 'none' });
  }
});

test('the image of the jobs is named by its digest, which set-image.sh fills in', async () => {
  expect(productionRules.digests(manifests)).toEqual([]);
  const { stdout } = await inCopyOfBackup((folder) =>
    promisify(execFile)('sh', [
      join(ROOT, 'k8s/set-image.sh'),
      folder,
      'mariadb',
      `here/mariadb@sha256:${'5'.repeat(64)}`,
    ]).then(() => promisify(execFile)('cat', [join(folder, 'kustomization.yaml')])),
  );
  expect(s.object({ images: s.list(s.anything) }).parse(parse(stdout)).images).toEqual([
    { name: 'mariadb', newName: 'here/mariadb', digest: `sha256:${'5'.repeat(64)}` },
  ]);
});

async function inCopyOfBackup<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-backup-'));
  try {
    await cp(join(ROOT, 'k8s/backup'), folder, { recursive: true });
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the jobs read only files that their Secrets have, and only settings that the scripts read', async () => {
  const scripts = await Promise.all(
    ['backup.sh', 'restore.sh'].map((name) => readFile(join(ROOT, 'k8s/backup', name), 'utf8')),
  );
  const settings = ofKind(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === 'backup-settings');
  for (const { container, workload } of containersIn(manifests)) {
    const names = [...Object.keys(settings?.data ?? {}), ...container.env.map(({ name }) => name)];
    expect(names.filter((name) => name !== 'MOMENT' && !scripts.join().includes(`\${${name}`))).toEqual([]);
    const paths = mountedSecrets(container, workload.spec).map(({ path }) => path);
    expect(paths).toEqual(['/run/secrets/batuta/DATABASE_PASSWORD', settings?.data['DATABASE_SSL_CA']]);
  }
});

test('the commands of docs/operations.md make Secrets with the keys that the jobs read, and start jobs that exist', async () => {
  const document = await readOperations();
  const keysOf = (name: string) => {
    const [command = ''] =
      new RegExp(`create secret generic ${name} [^]*?(?=\\n *(?:kubectl|\`\`\`|#))`).exec(document) ?? [];
    return Array.from(command.matchAll(/--from-(?:literal|file)=([\w.]+)=/g), ([, key]) => key);
  };
  expect(keysOf('batuta-backup')).toEqual(['DATABASE_PASSWORD', 'authorities.pem']);
  expect(keysOf('batuta-restore')).toEqual(['DATABASE_USER', 'DATABASE_PASSWORD', 'MOMENT']);
  const started = Array.from(document.matchAll(/--from=cronjob\/(\S+)/g), ([, name]) => name);
  const known = [...ofKind(manifests, 'CronJob').map(({ metadata }) => metadata.name), 'reseal'];
  expect(started.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  expect(new Set(started)).toEqual(new Set(known));
});

async function readCompose(file: string): Promise<{ services: Record<string, unknown> }> {
  return parse(await readFile(join(ROOT, file), 'utf8'), { merge: true });
}

const serviceShape = s.object({
  profiles: s.list(s.text()),
  command: s.list(s.text()),
  image: s.text(),
  read_only: s.flag,
  cap_drop: s.list(s.text()),
  volumes: s.list(s.text()),
  networks: s.list(s.text()),
  environment: s.dictionary(s.text()),
});

test('the profile backup of compose runs the same scripts on the database and the image of docker-compose.yml', async () => {
  const backup = serviceShape.parse((await readCompose('docker-compose.backup.yml')).services['backup']);
  const mariadb = s.object({ image: s.text(), networks: s.list(s.text()) });
  const database = mariadb.parse((await readCompose('docker-compose.yml')).services['mariadb']);
  expect(backup).toMatchObject({ profiles: ['backup'], image: database.image, networks: database.networks });
  expect(backup).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  expect(backup.volumes).toContain('./k8s/backup:/scripts:ro');
  const settings = ofKind(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === 'backup-settings');
  // The database of compose has no TLS, and cannot be reached from outside.
  const shared = Object.entries(settings?.data ?? {}).filter(([name]) => name !== 'DATABASE_SSL_CA');
  expect(backup.environment).toMatchObject({ ...Object.fromEntries(shared), DATABASE_HOST: 'mariadb' });
});

/**
 * What the service `backup` of compose does until its last dump begins, after `failures` dumps that fail and one during which the copying of the
 * binary log pauses three times: the kinds of its backups, and the end of that dump and of the pause of a day. The folder of the backups has these
 * files at the beginning.
 */
async function turnsInCompose(failures: number, files = ['dump-1.sql.gz']): Promise<string[]> {
  const { command } = serviceShape.parse((await readCompose('docker-compose.backup.yml')).services['backup']);
  const folder = await mkdtemp(join(tmpdir(), 'batuta-backup-'));
  const log = join(folder, 'turns');
  const programs = {
    bash: `echo "$2" >> ${log}
[ "$2" = full ] || exit 0
fulls=$(grep -c full ${log})
[ $fulls -gt ${failures} ] || exit 1
if [ $fulls -gt ${failures + 1} ]; then kill $MAIN $PPID; exit; fi
for try in $(seq 500); do
  if [ $(awk '/full/{n=0} /pause/{n++} END{print n+0}' ${log}) -ge 3 ]; then break; fi
  /bin/sleep 0.01
done
echo dumped >> ${log}`,
    sleep: `/bin/sleep 0.01
if [ $1 != 86400 ]; then echo pause >> ${log}; exit; fi
until [ $(grep -c dumped ${log}) -gt $(grep -c day ${log}) ]; do
  kill -0 $MAIN || exit
  /bin/sleep 0.01
done
echo day >> ${log}`,
  };
  try {
    for (const [name, text] of Object.entries(programs))
      await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    for (const name of files) await writeFile(join(folder, name), '');
    const script = `export MAIN=$$; ${command.join().replaceAll('$$', '$').replaceAll('/backups', folder)}`;
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    // Without `--norc` bash takes the socket of its standard input for a remote login, and reads the settings of the user.
    await promisify(execFile)('/bin/bash', ['--norc', '-c', script], { env }).catch(() => undefined);
    return (await readFile(log, 'utf8'))
      .trimEnd()
      .split('\n')
      .filter((turn) => turn !== 'pause');
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('in compose a dump that fails is repeated, and the next one follows a day after the first', async () => {
  const turns = await turnsInCompose(2);
  expect(turns.filter((turn) => turn !== 'logs')).toEqual(['full', 'full', 'full', 'dumped', 'day', 'full']);
});

test('in compose the binary log is copied while a dump is made', async () => {
  const turns = await turnsInCompose(0);
  expect(turns.slice(turns.indexOf('full'), turns.indexOf('dumped'))).toContain('logs');
});

test('in compose nothing is copied during the first dump of an installation', async () => {
  const turns = await turnsInCompose(1, []);
  expect(turns).toEqual(['full', 'full', 'dumped', 'day', 'full']);
});
