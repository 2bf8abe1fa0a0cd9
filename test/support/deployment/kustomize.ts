import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import * as s from '../shape';
import { parseManifest, type Manifest } from './manifest';

const generator = s.list(
  s.exactObject({
    name: s.text(),
    literals: s.list(s.text()).default([]),
    files: s.list(s.text()).default([]),
    envs: s.list(s.text()).default([]),
  }),
);
const kustomizationSchema = s.exactObject({
  apiVersion: s.exactly('kustomize.config.k8s.io/v1beta1'),
  kind: s.exactly('Kustomization'),
  namespace: s.text().optional(),
  resources: s.list(s.text()),
  configMapGenerator: generator.default([]),
  secretGenerator: generator.default([]),
  images: s
    .list(s.exactObject({ name: s.text(), newName: s.text().optional(), newTag: s.text().optional() }))
    .default([]),
  labels: s.list(s.exactObject({ pairs: s.dictionary(s.text()), includeTemplates: s.exactly(true) })).default([]),
});
type Kustomization = s.Infer<typeof kustomizationSchema>;

/** Gives the value that an operator would write for a key of an `.env.example` file. */
export type SecretValue = (key: string) => string;

/**
 * The output of `kubectl kustomize <folder>`, without the hashes in the names of ConfigMaps and Secrets. Supports only the
 * features that k8s/ uses and throws on others. In place of a secret file `x.env` it reads `x.env.example` and fills it in.
 */
export function renderKustomization(folder: string, secretValue: SecretValue): Manifest[] {
  const source = kustomizationSchema.parse(parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')));
  const manifests = [
    ...source.resources.flatMap((name) => resource(join(folder, name), secretValue)),
    ...source.configMapGenerator.map((made) => generated('ConfigMap', made, folder, secretValue)),
    ...source.secretGenerator.map((made) => generated('Secret', made, folder, secretValue)),
  ];
  return manifests.map((manifest) => transformed(manifest, source));
}

function resource(path: string, secretValue: SecretValue): Manifest[] {
  if (statSync(path).isDirectory()) return renderKustomization(path, secretValue);
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors.join(', ')}`);
    return parsed(document.toJS(), path);
  });
}

function parsed(document: unknown, path: string): Manifest {
  try {
    return parseManifest(document);
  } catch (error) {
    throw new Error(`${path}: ${String(error)}`, { cause: error });
  }
}

function generated(
  kind: 'ConfigMap' | 'Secret',
  { name, literals, files, envs }: Kustomization['configMapGenerator'][number],
  folder: string,
  secretValue: SecretValue,
): Manifest {
  const data = Object.fromEntries([
    ...literals.map(assignment),
    ...files.map((file) => [basename(file), readFileSync(join(folder, file), 'utf8')]),
    ...envs.flatMap((file) => exampleKeys(join(folder, `${file}.example`)).map((key) => [key, secretValue(key)])),
  ]);
  return { apiVersion: 'v1', kind, metadata: { name }, data };
}

/** Keys of an `.env.example` file. Throws when a key has a value, which an operator could leave as the real password. */
export function exampleKeys(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const given = lines.filter((line) => line !== '' && !line.startsWith('#')).map(assignment);
  for (const [key, value] of given) if (value !== '') throw new Error(`${file}: ${key} has a value`);
  return given.map(([key]) => key);
}

function assignment(line: string): [string, string] {
  const equals = line.indexOf('=');
  if (equals < 1) throw new Error(`"${line}" is not NAME=value`);
  return [line.slice(0, equals), line.slice(equals + 1)];
}

function transformed(manifest: Manifest, { namespace, labels, images }: Kustomization): Manifest {
  const added = Object.assign({}, ...labels.map(({ pairs }) => pairs));
  const { metadata } = manifest;
  metadata.labels = { ...metadata.labels, ...added };
  if (namespace !== undefined && manifest.kind !== 'Namespace') metadata.namespace = namespace;
  if (manifest.kind === 'StatefulSet') {
    for (const claim of manifest.spec.volumeClaimTemplates)
      claim.metadata.labels = { ...claim.metadata.labels, ...added };
  }
  if (manifest.kind === 'Deployment' || manifest.kind === 'StatefulSet' || manifest.kind === 'Job') {
    const { template } = manifest.spec;
    template.metadata.labels = { ...template.metadata.labels, ...added };
    for (const container of [...template.spec.initContainers, ...template.spec.containers]) {
      container.image = renamed(container.image, images);
    }
  }
  return manifest;
}

function renamed(image: string, images: Kustomization['images']): string {
  const { name, tag } = imageParts(image);
  const change = images.find((candidate) => candidate.name === name);
  if (!change) return image;
  const newTag = change.newTag ?? tag;
  return [change.newName ?? name, ...(newTag === undefined ? [] : [newTag])].join(':');
}

/** `registry:5000/name:tag` → name and tag; the colon of a registry's port is none of a tag's. */
export function imageParts(image: string): { name: string; tag: string | undefined } {
  const [, name = image, tag] = /^(.*?)(?::([^:/]+))?$/.exec(image) ?? [];
  return { name, tag };
}
