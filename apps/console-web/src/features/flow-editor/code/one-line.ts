import { EditorState } from '@codemirror/state';

/**
 * Keeps inserted text on one line, as a text input does: line breaks at its ends are dropped, others become a space, each with the spaces
 * around it. Line breaks that the
 * text has already, such as those of a flow that was written as JSON, stay.
 */
export const oneLine = EditorState.transactionFilter.of((transaction) => {
  const changes: { from: number; to: number; insert: string }[] = [];
  let hasBreak = false;
  let end = 0;
  transaction.changes.iterChanges((from, to, fromAfter, _toAfter, inserted) => {
    const insert = inOneLine(inserted.toString());
    hasBreak ||= inserted.lines > 1;
    // Enter, which inserts nothing else, must not delete the selected text.
    if (inserted.length > 0 && insert === '') return;
    changes.push({ from, to, insert });
    end = fromAfter + insert.length;
  }, true);
  if (!hasBreak) return transaction;
  return changes.length === 0 ? [] : { changes, selection: { anchor: end }, scrollIntoView: true };
});

function inOneLine(text: string): string {
  return text.replace(/^\s*\n\s*|\s*\n\s*$/g, '').replace(/\s*\n\s*/g, ' ');
}
