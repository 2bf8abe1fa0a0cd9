import { EditorStore } from './editor-store';
import { canRedo, canUndo } from './undo-redo';

const flow = { start: 'a', steps: [{ name: 'a', type: 'wait' }] };
const BROKEN = '{"start":';
const storeOf = () => new EditorStore(flow);

const brokenTextOf = (store: EditorStore) => store.getState().history.present.brokenText?.text;
const namesOf = (store: EditorStore) => store.flow.steps.map(({ name }) => name);

test('undo takes back only the text that is no valid flow, and redo brings it back', () => {
  const store = storeOf();
  const edited = { start: 'a', steps: [] };
  store.typeText(JSON.stringify(edited));
  store.typeText(BROKEN);
  store.redo();
  expect(brokenTextOf(store)).toBe(BROKEN);
  store.undo();
  expect([brokenTextOf(store), store.flow]).toEqual([undefined, edited]);
  store.undo();
  expect(store.flow).toEqual(flow);
  store.redo();
  expect([brokenTextOf(store), store.flow]).toEqual([undefined, edited]);
  store.redo();
  expect(brokenTextOf(store)).toBe(BROKEN);
});

test('a text that is broken only for a moment is no step of its own', () => {
  const store = new EditorStore(flow, () => 0);
  const shorter = { start: 'a', steps: [] };
  const longer = { start: 'b', steps: [] };
  for (const text of [JSON.stringify(shorter), BROKEN, JSON.stringify(longer)]) store.typeText(text);
  expect([brokenTextOf(store), store.flow]).toEqual([undefined, longer]);
  store.undo();
  expect([brokenTextOf(store), store.flow]).toEqual([undefined, shorter]);
  store.undo();
  expect(store.flow).toEqual(flow);
});

test('a text that is no valid flow can be undone when it is the first edit, and not when the saved flow is that text', () => {
  const store = storeOf();
  store.typeText(BROKEN);
  store.undo();
  expect([brokenTextOf(store), store.isChanged]).toEqual([undefined, false]);
  store.redo();
  expect([brokenTextOf(store), store.isChanged]).toEqual([BROKEN, true]);
  expect(canUndo(new EditorStore({ steps: 7 }).getState())).toBe(false);
});

test('a step that is added beside a text that is no valid flow keeps the text, and is undone before it', () => {
  const store = storeOf();
  store.typeText(BROKEN);
  store.add({ name: 'b', type: 'wait' });
  expect([brokenTextOf(store), namesOf(store)]).toEqual([BROKEN, ['a', 'b']]);
  store.undo();
  expect([brokenTextOf(store), namesOf(store)]).toEqual([BROKEN, ['a']]);
  store.undo();
  expect([brokenTextOf(store), namesOf(store)]).toEqual([undefined, ['a']]);
});

test('a text that is no valid flow leaves with the flow that replaces it, and undo brings it back', () => {
  const store = storeOf();
  store.typeText(BROKEN);
  store.replace({ start: '', steps: [] });
  expect(brokenTextOf(store)).toBeUndefined();
  store.undo();
  expect(brokenTextOf(store)).toBe(BROKEN);
});

test.each<[what: string, change: (store: EditorStore) => void]>([
  ['another change', (store) => store.change({ start: '', steps: [] })],
  ['a text that is no valid flow', (store) => store.typeText(BROKEN)],
])('redo brings back nothing that was undone before %s', (_, change) => {
  const store = storeOf();
  store.change({ start: 'a', steps: [] });
  store.typeText('{');
  store.undo();
  store.undo();
  change(store);
  expect(canRedo(store.getState())).toBe(false);
  store.undo();
  store.redo();
  expect(canRedo(store.getState())).toBe(false);
});
