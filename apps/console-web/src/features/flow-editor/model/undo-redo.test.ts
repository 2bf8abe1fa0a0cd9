import { EditorStore } from './editor-store';

const flow = { start: 'a', steps: [{ name: 'a', type: 'wait' }] };
const storeOf = () => new EditorStore(flow);

test('undo takes back only the text that is no valid flow, and redo brings it back', () => {
  const store = storeOf();
  const edited = { start: 'a', steps: [] };
  store.change(edited);
  store.typeText('{"start":');
  store.redo();
  expect(store.getState().brokenText?.text).toBe('{"start":');
  store.undo();
  expect([store.getState().brokenText, store.flow]).toEqual([undefined, edited]);
  store.undo();
  expect(store.flow).toEqual(flow);
  store.redo();
  expect([store.getState().brokenText, store.flow]).toEqual([undefined, edited]);
  store.redo();
  expect(store.getState().brokenText?.text).toBe('{"start":');
});

test.each<[how: string, change: (store: EditorStore) => void]>([
  ['another change', (store) => store.change({ start: '', steps: [] })],
  [
    'another text that is no flow',
    (store) => {
      store.typeText('{');
      store.undo();
    },
  ],
])('redo does not bring back a text that is no valid flow after %s', (_, change) => {
  const store = storeOf();
  store.change({ start: 'a', steps: [] });
  store.typeText('{"start":');
  store.undo();
  change(store);
  store.redo();
  expect(store.getState().brokenText?.text).not.toBe('{"start":');
  store.undo();
  store.redo();
  expect(store.getState().brokenText?.text).not.toBe('{"start":');
});
