import { useEffect } from 'react';
import { readCopied } from './model/clipboard';
import type { EditorStore } from './model/editor-store';

/**
 * Handles the keys for undo, redo, delete, selection and the clipboard, except in fields and dialogs, which handle these keys themselves. The
 * key for `save` works everywhere. `showRefusal` gets the `PasteRefusal` of a text that is not pasted; only steps of these `types` are.
 */
export function useShortcuts(
  store: EditorStore,
  types: ReadonlySet<string>,
  actions: { save: () => void; showRefusal: (reason: string) => void },
): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      const isCommand = event.ctrlKey || event.metaKey;
      if (isCommand && key === 's') {
        event.preventDefault();
        return actions.save();
      }
      if (isHandledElsewhere(event.target)) return undefined;
      if (isCommand && (key === 'y' || (key === 'z' && event.shiftKey))) store.redo();
      else if (isCommand && key === 'z') store.undo();
      else if (isCommand && key === 'a') store.select(store.flow.steps.map(({ name }) => name));
      else if (key === 'delete' || key === 'backspace') store.deleteSelected();
      else if (key === 'escape') store.select([]);
      else return undefined;
      if (key !== 'escape') event.preventDefault();
      return undefined;
    };
    const onCopy = (event: ClipboardEvent) => {
      if (isHandledElsewhere(event.target) || hasSelectedText()) return;
      const copied = store.copiedText();
      if (copied === undefined) return;
      event.clipboardData?.setData('text/plain', copied);
      event.preventDefault();
      if (event.type === 'cut') store.deleteSelected();
    };
    const onPaste = (event: ClipboardEvent) => {
      if (isHandledElsewhere(event.target)) return;
      const read = readCopied(event.clipboardData?.getData('text/plain') ?? '', types);
      event.preventDefault();
      if ('refusal' in read) actions.showRefusal(read.refusal);
      else store.paste(read.steps);
    };
    document.addEventListener('keydown', onKeyDown);
    document.addEventListener('copy', onCopy);
    document.addEventListener('cut', onCopy);
    document.addEventListener('paste', onPaste);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      document.removeEventListener('copy', onCopy);
      document.removeEventListener('cut', onCopy);
      document.removeEventListener('paste', onPaste);
    };
  }, [store, types, actions]);
}

function isHandledElsewhere(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select, .cm-editor, [role=dialog]') !== null)
  );
}

function hasSelectedText(): boolean {
  return (getSelection()?.toString() ?? '') !== '';
}
