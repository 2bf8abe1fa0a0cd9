import { EditorStore } from './editor-store';
import { flowTextOf } from './flow-text';

const flow = {
  start: 'a',
  steps: [
    { name: 'a', type: 'wait', seconds: 1, routes: [{ to: 'b' }] },
    { name: 'b', type: 'wait', seconds: 1 },
  ],
};
const storeOf = (saved: unknown = flow) => new EditorStore(saved, () => 0);
const present = (store: EditorStore) => store.getState().history.present;

test('a flow that undo returns to its saved state counts as unchanged', () => {
  const store = storeOf();
  expect(store.isChanged).toBe(false);
  store.delete(['b']);
  expect(store.isChanged).toBe(true);
  store.undo();
  expect(store.isChanged).toBe(false);
  store.redo();
  store.markSaved(store.flow);
  expect(store.isChanged).toBe(false);
});

test('the steps of a flow that replaces another one get new positions, and undo restores the other flow with its positions', () => {
  const store = storeOf();
  store.move(new Map([['b', { x: 7, y: 8 }]]));
  store.show('b');
  const before = present(store);
  store.replace({ start: 'old', steps: [{ name: 'old', type: 'variables' }] });
  expect(store.flow.start).toBe('old');
  expect(present(store).moved.size).toBe(0);
  expect(store.getState()).toMatchObject({ selected: [], open: undefined });
  store.undo();
  expect(present(store)).toEqual(before);
});

test('an added step is selected with its form open, which takes the focus, and undo closes the form', () => {
  const store = storeOf(null);
  expect(store.add({ name: 'first', type: 'wait' })).toBe('first');
  expect(store.getState()).toMatchObject({
    selected: ['first'],
    open: { step: 'first', field: '' },
  });
  store.undo();
  expect(store.getState()).toMatchObject({ selected: [], open: undefined });
});

test('the form of an added step takes the focus once, and the request for a field stays', () => {
  const store = storeOf(null);
  store.add({ name: 'first', type: 'wait' });
  store.noteFocus();
  expect(store.getState().open).toEqual({ step: 'first' });
  store.show('first', '/seconds');
  store.noteFocus();
  expect(store.getState().open).toEqual({ step: 'first', field: '/seconds' });
});

test('an added step follows the selected one if that leads nowhere yet', () => {
  const store = storeOf();
  store.show('b');
  expect([store.add({ name: 'c', type: 'wait' }), store.add({ name: 'd', type: 'wait' })]).toEqual(['c', 'd']);
  store.select(['a']);
  store.add({ name: 'e', type: 'wait' });
  store.select([]);
  store.add({ name: 'f', type: 'wait' });
  expect(store.flow.steps.map(({ name, routes = [] }) => [name, ...routes.map(({ to }) => to)])).toEqual([
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'd'],
    ['d'],
    ['e'],
    ['f'],
  ]);
});

test('a renamed step keeps its selection, its position and its open form, which jumps to no field again', () => {
  const store = storeOf();
  store.move(new Map([['b', { x: 7, y: 8 }]]));
  store.show('b', '/seconds');
  store.rename('b', 'c');
  const { selected, open } = store.getState();
  expect({ selected, open }).toEqual({ selected: ['c'], open: { step: 'c' } });
  expect(present(store).moved.get('c')).toEqual({ x: 7, y: 8 });
});

test('a dragged step keeps all steps where they are, until they are tidied up', () => {
  const store = storeOf();
  store.move(new Map([['b', { x: 7, y: 8 }]]));
  expect([...present(store).moved.keys()]).toEqual(['a', 'b']);
  const name = store.add({ name: 'c', type: 'wait' }, { step: 'b', kind: 'routes' });
  expect(present(store).moved.get(name)?.y).toBe(10);
  store.tidyUp();
  expect(present(store).moved.size).toBe(0);
});

test('text that is no valid flow is kept beside the last flow until it becomes valid', () => {
  const store = storeOf();
  store.typeText('{"start":');
  expect(present(store).brokenText).toEqual({
    text: '{"start":',
    problem: undefined,
  });
  expect(store.flow).toEqual(flow);
  expect(store.isChanged).toBe(true);
  store.typeText('{"start": "a", "steps": {}}');
  expect(present(store).brokenText?.problem).toEqual({
    path: '/steps',
    reason: 'not-a-list',
  });
  store.typeText(flowTextOf({ start: 'a', steps: [] }));
  expect(present(store).brokenText).toBeUndefined();
  expect(store.flow).toEqual({ start: 'a', steps: [] });
});

test('a saved definition that cannot be drawn is shown as text', () => {
  expect(present(new EditorStore({ steps: 7 })).brokenText).toEqual({
    text: flowTextOf({ steps: 7 }),
    problem: { path: '/start', reason: 'not-a-text' },
  });
});

test('delete removes the selected steps, or else the selected route', () => {
  const store = storeOf();
  store.selectRoute({ step: 'a', kind: 'routes', index: 0 });
  store.deleteSelected();
  expect(store.flow.steps[0]?.routes).toBeUndefined();
  store.select(['a', 'b']);
  store.deleteSelected();
  expect(store.flow).toEqual({ start: '', steps: [] });
});

test('several pasted steps are selected, and a single one opens its form beside the selected step', () => {
  const store = storeOf();
  store.select(['a', 'b']);
  expect(JSON.parse(store.copiedText() ?? '')).toMatchObject({ steps: [{ name: 'a' }, { name: 'b' }] });
  expect(store.paste(flow.steps)).toEqual(['a 2', 'b 2']);
  expect(store.getState()).toMatchObject({ selected: ['a 2', 'b 2'], open: undefined });
  store.move(new Map([['b', { x: 300, y: 700 }]]));
  store.show('b');
  expect(store.paste([{ name: 'b', type: 'wait' }])).toEqual(['b 3']);
  expect(store.getState()).toMatchObject({ selected: ['b 3'], open: { step: 'b 3' } });
  expect(present(store).moved.get('b 3')?.y).toBe(700);
});

describe('broken texts of fields:', () => {
  const calls = {
    start: 'a',
    steps: [
      { name: 'a', type: 'rest', body: { n: 1 } },
      { name: 'b', type: 'rest', body: { n: 2 } },
    ],
  };
  const texts = (store: EditorStore) => store.getState().brokenFields.map(({ step, text }) => `${step}: ${text}`);

  /** A flow whose only step has a list. */
  function listStore(params: unknown[] = ['', 7, 8]) {
    const store = storeOf({ start: 'a', steps: [{ name: 'a', type: 'database', params }] });
    return {
      store,
      fields: () => store.getState().brokenFields.map(({ field, text }) => `${field} ${text}`),
      order: (order: number[], value: unknown[]) => store.reorder({ step: 'a', list: '/params', order }, value),
    };
  }

  test('a broken text of a field is an unsaved change until the field has a value again', () => {
    const store = storeOf(calls);
    store.typeField('a', '/body', '{"n":');
    store.typeField('a', '/body', '{"n": ');
    expect(texts(store)).toEqual(['a: {"n": ']);
    expect([store.isBroken, store.isChanged]).toEqual([true, true]);
    store.typeField('a', '/body', undefined);
    expect([store.isBroken, store.isChanged]).toEqual([false, false]);
  });

  test('a broken text stays when its step is renamed and other steps change', () => {
    const store = storeOf(calls);
    store.typeField('a', '/body', '{"n":');
    store.rename('a', 'c');
    store.delete(['b']);
    store.undo();
    store.typeText(JSON.stringify({ ...store.flow, start: 'b' }));
    expect(texts(store)).toEqual(['c: {"n":']);
  });

  test('a broken text stays when the renaming of its step is undone and done again', () => {
    const store = storeOf(calls);
    store.rename('a', 'c');
    store.typeField('c', '/body', '{"n":');
    store.undo();
    expect(texts(store)).toEqual(['a: {"n":']);
    store.redo();
    expect(texts(store)).toEqual(['c: {"n":']);
  });

  test('a broken text does not pass to another step when the addition of its step is undone', () => {
    const store = storeOf(calls);
    store.delete(['a']);
    store.add({ name: 'd', type: 'rest' });
    store.typeField('d', '/body', '{');
    store.undo();
    expect(texts(store)).toEqual([]);
  });

  test('a broken text moves with its item of a list, and is removed with it', () => {
    const { store, fields, order } = listStore(['', '', 7]);
    store.typeField('a', '/params/0', '{');
    store.typeField('a', '/params/2', '[');
    order([1, 0, 2], ['', '', 7]);
    expect(fields()).toEqual(['/params/1 {', '/params/2 [']);
    order([0, 2, 1], ['', 7, '']);
    expect(fields()).toEqual(['/params/2 {', '/params/1 [']);
    order([0, 2], ['', '']);
    expect(fields()).toEqual(['/params/1 {']);
  });

  test('a broken text goes back with its item when the move of the item is undone, and moves again with it', () => {
    const { store, fields, order } = listStore();
    store.typeField('a', '/params/0', '{');
    order([1, 2, 0], [7, 8, '']);
    order([0, 2, 1], [7, '', 8]);
    expect(fields()).toEqual(['/params/1 {']);
    store.undo();
    expect(fields()).toEqual(['/params/2 {']);
    store.undo();
    expect(fields()).toEqual(['/params/0 {']);
    store.redo();
    store.redo();
    expect(fields()).toEqual(['/params/1 {']);
  });

  test('a broken text comes back with the step or item that undo brings back', () => {
    const { store, fields, order } = listStore();
    store.typeField('a', '/params/0', '{');
    store.typeField('a', '/params/2', '[');
    order([1, 2], [7, 8]);
    expect(fields()).toEqual(['/params/1 [']);
    store.delete(['a']);
    expect(fields()).toEqual([]);
    store.undo();
    expect(fields()).toEqual(['/params/1 [']);
    store.undo();
    expect(fields()).toEqual(['/params/2 [', '/params/0 {']);
    store.undo();
    expect(fields()).toEqual(['/params/2 [', '/params/0 {']);
  });

  test('a broken text exists once after a rename was undone, as it was typed last', () => {
    const store = storeOf(calls);
    store.typeField('a', '/body', '{');
    store.rename('a', 'c');
    store.typeField('c', '/body', '{"n":');
    store.undo();
    expect(texts(store)).toEqual(['a: {"n":']);
    store.redo();
    expect(texts(store)).toEqual(['c: {"n":']);
  });

  test('a broken text comes back when the replacement of the flow is undone, or a change in several letters', () => {
    const store = storeOf(calls);
    store.typeField('a', '/body', '{');
    store.replace(calls);
    store.undo();
    expect(texts(store)).toEqual(['a: {']);
    for (const body of [1, 12]) store.change({ ...calls, steps: [{ name: 'a', type: 'rest', body }] }, 'text');
    expect(texts(store)).toEqual([]);
    store.undo();
    expect(texts(store)).toEqual(['a: {']);
  });

  test('a broken text is removed with its step, by another value of its field and by another flow', () => {
    const store = storeOf(calls);
    store.typeField('a', '/body', '{"n":');
    store.typeField('b', '/body', '{');
    store.delete(['a']);
    expect(texts(store)).toEqual(['b: {']);
    store.change({ ...store.flow, steps: [{ name: 'b', type: 'rest', body: 7 }] });
    expect(texts(store)).toEqual([]);
    store.typeField('b', '/body', '{');
    store.replace(calls);
    expect(texts(store)).toEqual([]);
  });
});
