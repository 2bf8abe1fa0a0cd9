/**
 * Thrown when a script of the page, or a file with its texts, does not load, because the connection was lost or a deployment has replaced the
 * files.
 */
export class LoadFailure extends Error {
  override readonly name = 'LoadFailure';
}

let isFailed = false;
const listeners = new Set<() => void>();

/** Resolves like the import of a script or of texts; if the import fails, shows the notice of `setLoadFailed` and rejects with LoadFailure. */
export async function importOrReport<Module>(module: Promise<Module>): Promise<Module> {
  try {
    return await module;
  } catch (error) {
    setLoadFailed(true);
    throw new LoadFailure('a part of the page did not load', { cause: error });
  }
}

/** Shows or hides the notice that a script of the page did not load. */
export function setLoadFailed(failed: boolean): void {
  isFailed = failed;
  for (const listener of listeners) listener();
}

/** Whether the notice is shown; the snapshot of `useSyncExternalStore`. */
export const hasLoadFailed = (): boolean => isFailed;

/** `subscribe` of `useSyncExternalStore`: calls the listener each time that the notice is shown or hidden. */
export function onLoadFailureChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
