import { EditorStore } from './model/editor-store';

/**
 * The editors of this window, by process: edits survive leaving the page and coming back. They are in memory only, because a flow may
 * have confidential texts.
 */
const stores = new Map<string, EditorStore>();

export function keptStore(pid: string): EditorStore | undefined {
  return stores.get(pid);
}

/** The editor store of a process: the existing one if it has unsaved edits, else a new one with the flow that was read. */
export function storeFor(pid: string, saved: unknown): EditorStore {
  const kept = stores.get(pid);
  if (kept?.isChanged) return kept;
  const store = new EditorStore(saved);
  stores.set(pid, store);
  return store;
}
