import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as s from '../shape';
import { renderOverlay as render, type KubernetesObject } from '../../../scripts/lib/kustomize.cjs';
import { parseManifest, type Manifest } from './manifest';
import { sampleSecret } from './settings';

export const OVERLAYS = ['local', 'production'] as const;
export type Overlay = (typeof OVERLAYS)[number];

export interface RenderedOverlay {
  /** The objects as `kubectl apply` sends them. */
  documents: KubernetesObject[];
  /** The same objects with typed fields and with decoded secrets. */
  manifests: Manifest[];
}

/**
 * Renders an overlay as `kubectl kustomize` does, with sample secrets and without hashes in the names of ConfigMaps and Secrets. `change` edits
 * the text of kustomization.yaml first.
 */
export async function renderOverlay(
  overlay: Overlay,
  change: (kustomization: string) => string = (text) => text,
): Promise<RenderedOverlay> {
  const edit = async (folder: string) => {
    const file = join(folder, 'overlays', overlay, 'kustomization.yaml');
    await writeFile(file, change(await readFile(file, 'utf8')));
  };
  const documents = (await render(overlay, sampleSecret, edit)).map(withoutLineEnds);
  return { documents, manifests: documents.map((document) => parseManifest(withSecretsInClear(document))) };
}

const secretShape = s.object({ kind: s.exactly('Secret'), data: s.dictionary(s.text()) });

/** kustomize breaks long secrets into lines, but the schema of Kubernetes demands Base64 without line ends. */
const withoutLineEnds = (object: KubernetesObject) => withData(object, (value) => value.replaceAll('\n', ''));
const withSecretsInClear = (object: KubernetesObject) =>
  withData(object, (value) => Buffer.from(value, 'base64').toString());

function withData(object: KubernetesObject, change: (value: string) => string): KubernetesObject {
  if (!secretShape.matches(object)) return object;
  const data = Object.entries(object.data).map(([key, value]) => [key, change(value)]);
  return { ...object, data: Object.fromEntries(data) };
}

/** `registry:5000/name:tag@digest` → name, tag and digest. The colon before the port of a registry begins no tag. */
export function splitImage(image: string): { name: string; tag: string | undefined; digest: string | undefined } {
  const [, name = image, tag, digest] = /^(.*?)(?::([^:/@]+))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(image) ?? [];
  return { name, tag, digest };
}
