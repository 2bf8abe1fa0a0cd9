/** An object as YAML and `kubectl apply` have it. */
export type KubernetesObject = Record<string, unknown>;
/** A folder of k8s/overlays. */
export type OverlayName = 'local' | 'production';
/** The value of a key of an `.env.example` file. */
export type SecretOf = (key: string) => string;

/** A copy of k8s/ whose overlays have secrets, as an operator fills them in. The caller removes the folder. */
export function copyWithSecrets(secretOf: SecretOf): Promise<string>;
/** Keys of an `.env.example` file. Throws when a key has a value, which an operator could leave as the real password. */
export function exampleKeys(file: string, text: string): string[];
/** The objects of a YAML text. Throws when the text is not YAML. */
export function objectsOf(text: string): KubernetesObject[];
/**
 * The objects of `kubectl kustomize` for an overlay, without the hashes in the names of ConfigMaps and Secrets. `change` may change
 * the copy of k8s/ that is rendered.
 */
export function renderOverlay(
  overlay: OverlayName | '../backup',
  secretOf: SecretOf,
  change?: (folder: string) => Promise<void>,
): Promise<KubernetesObject[]>;
