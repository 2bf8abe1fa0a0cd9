import { moveLineDown } from '@codemirror/commands';
import { EditorState } from '@codemirror/state';
import { oneLine } from './one-line';

const editorStateOf = (doc: string) => EditorState.create({ doc, extensions: [oneLine] });

test.each([
  ['a copied line with its end', 'https://x\n', 'ahttps://xb'],
  ['several copied lines', '\nx\ny\n\nz', 'ax y zb'],
])('a field with one line takes %s on its line, and the cursor is behind it', (_what, insert, expected) => {
  const { state } = editorStateOf('ab').update({ changes: { from: 1, insert } });
  expect(state.doc.toString()).toBe(expected);
  expect(state.selection.main.head).toBe(expected.length - 1);
});

test('a field with one line does nothing for Enter, which inserts a line break and an indent, also when text is selected', () => {
  const { state } = editorStateOf('abcd').update({ changes: { from: 1, to: 3, insert: '\n  ' } });
  expect(state.doc.toString()).toBe('abcd');
  expect(state.selection.main.head).toBe(0);
});

test('a field with one line replaces the selected text with the lines that are pasted', () => {
  const { state } = editorStateOf('abcd').update({ changes: { from: 1, to: 3, insert: 'x\ny' } });
  expect(state.doc.toString()).toBe('ax yd');
});

test('a field with one line lets the lines of a text that has several be moved', () => {
  let state = editorStateOf('{a} > 1\n&& {b} > 2');
  moveLineDown({ state, dispatch: (transaction) => (state = transaction.state) });
  expect(state.doc.toString()).toBe('&& {b} > 2\n{a} > 1');
});

test('a field with one line can be edited although its text has several lines', () => {
  const { state } = editorStateOf('{a} > 1\n&& {b} > 2').update({ changes: { from: 0, insert: '!' } });
  expect(state.doc.toString()).toBe('!{a} > 1\n&& {b} > 2');
});
