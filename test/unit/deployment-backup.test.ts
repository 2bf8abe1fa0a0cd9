import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { renderOverlay } from '../../scripts/lib/kustomize.cjs';
import { schemaProblems } from '../support/deployment/kubernetes-schema';
import { ofKind, parseManifest, type Manifest } from '../support/deployment/manifest';
import { containersIn } from '../support/deployment/manifest-parts';
import { podRules } from '../support/deployment/pod-rules';
import { ROOT, sampleSecret } from '../support/deployment/settings';
import * as s from '../support/shape';

// The scheduled backups, which are apart from the overlays and from docker-compose.yml.

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

test('a dump is made every night and the binary log is copied every ten minutes, both to one claimed volume', () => {
  const jobs = ofKind(manifests, 'CronJob').map(({ spec }) => spec.schedule);
  expect(jobs).toEqual(['17 2 * * *', '*/10 * * * *']);
  expect(containersIn(manifests).map(({ container: { command } }) => command)).toEqual([
    ['bash', '/scripts/backup.sh', 'full', '/backups'],
    ['bash', '/scripts/backup.sh', 'logs', '/backups'],
  ]);
  const [claim] = ofKind(manifests, 'PersistentVolumeClaim');
  for (const { spec } of ofKind(manifests, 'CronJob')) {
    const volumes = spec.jobTemplate.spec.template.spec.volumes.map(
      (volume) => volume.persistentVolumeClaim?.claimName,
    );
    expect(volumes).toContain(claim?.metadata.name);
  }
});

const serviceShape = s.object({
  profiles: s.list(s.text()),
  image: s.text(),
  read_only: s.flag,
  cap_drop: s.list(s.text()),
  volumes: s.list(s.text()),
  networks: s.list(s.text()),
  environment: s.dictionary(s.text()),
});

test('the profile backup of compose runs the same scripts on the database and the image of docker-compose.yml', async () => {
  const readCompose = async (file: string): Promise<{ services: Record<string, unknown> }> =>
    parse(await readFile(join(ROOT, file), 'utf8'), { merge: true });
  const backup = serviceShape.parse((await readCompose('docker-compose.backup.yml')).services['backup']);
  const mariadb = s.object({ image: s.text(), networks: s.list(s.text()) });
  const database = mariadb.parse((await readCompose('docker-compose.yml')).services['mariadb']);
  expect(backup).toMatchObject({ profiles: ['backup'], image: database.image, networks: database.networks });
  expect(backup).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  expect(backup.volumes).toContain('./k8s/backup:/scripts:ro');
  const settings = ofKind(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === 'backup-settings');
  expect(backup.environment).toMatchObject(settings?.data ?? {});
});
