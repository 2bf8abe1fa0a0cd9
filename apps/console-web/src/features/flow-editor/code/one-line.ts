import { EditorState } from '@codemirror/state';

/**
 * A CodeMirror extension that keeps inserted text on one line, as a text input does: its lines are trimmed and joined by a space, empty ones
 * are dropped. Line breaks that the text already has, for example from a flow written as JSON, stay, also when a line is moved.
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
  if (!hasBreak || transaction.isUserEvent('move')) return transaction;
  return changes.length === 0 ? [] : { changes, selection: { anchor: end }, scrollIntoView: true };
});

function inOneLine(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}
