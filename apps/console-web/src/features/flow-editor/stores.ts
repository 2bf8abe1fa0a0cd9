import { mustAskBeforeLoss } from '../../common/window-loss';
import { EditorStore } from './model/editor-store';

/**
 * The editor stores of this window by process id: edits survive leaving the page and coming back. They are in memory only, because a flow
 * may have confidential texts.
 */
const stores = new Map<string, EditorStore>();

// A flow stays unsaved after its editor was left, so the browser asks on every page before the window closes or reloads.
window.addEventListener('beforeunload', (event) => {
  if (mustAskBeforeLoss([...stores.values()].some(({ isChanged }) => isChanged))) event.preventDefault();
});

/** Whether this window has edits of the process's flow that are not saved. */
export function hasUnsavedFlow(pid: string): boolean {
  return stores.get(pid)?.isChanged === true;
}

/** The editor store of a process: the existing one if it has unsaved edits, else a new one with the flow `saved`. */
export function storeFor(pid: string, saved: unknown): EditorStore {
  const kept = stores.get(pid);
  if (kept?.isChanged) return kept;
  const store = new EditorStore(saved);
  stores.set(pid, store);
  return store;
}
