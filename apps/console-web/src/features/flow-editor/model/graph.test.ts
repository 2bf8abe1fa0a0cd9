import type { DraftFlow } from '../../../flow/draft';
import { graphOf, stepsBefore } from './graph';

const flow: DraftFlow = {
  start: 'a',
  steps: [
    {
      name: 'a',
      type: 'rest',
      routes: [{ when: '{x}', to: 'b' }, { terminate: true }, { to: 'b' }],
      onError: [{ to: 'gone' }, {}],
    },
    { name: 'b', type: 'wait', routes: [{ to: 'c' }] },
    { name: 'c', type: 'wait', onError: [{ to: 'b' }] },
    { name: 'alone', type: 'wait', routes: [{ to: 'c' }] },
  ],
};

test('steps are nodes, routes between them edges with their condition and place in the order', () => {
  const { nodes, edges } = graphOf(flow);
  expect(
    nodes.map(({ name, isStart, isUnreachable }) => ({
      name,
      isStart,
      isUnreachable,
    })),
  ).toEqual([
    { name: 'a', isStart: true, isUnreachable: false },
    { name: 'b', isStart: false, isUnreachable: false },
    { name: 'c', isStart: false, isUnreachable: false },
    { name: 'alone', isStart: false, isUnreachable: true },
  ]);
  expect(
    edges.map(({ source, target, kind, when, order, isNeverTaken }) => [
      source,
      target,
      kind,
      when,
      order,
      isNeverTaken,
    ]),
  ).toEqual([
    ['a', 'b', 'routes', '{x}', 1, false],
    ['a', 'b', 'routes', undefined, 3, true],
    ['b', 'c', 'routes', undefined, undefined, false],
    ['c', 'b', 'onError', undefined, undefined, false],
    ['alone', 'c', 'routes', undefined, undefined, false],
  ]);
});

test('routes that lead to no step are exits of their node', () => {
  const { nodes } = graphOf(flow);
  expect(nodes[0]?.exits).toEqual([
    {
      at: { step: 'a', kind: 'routes', index: 1 },
      when: undefined,
      does: 'terminate',
    },
    {
      at: { step: 'a', kind: 'onError', index: 0 },
      when: undefined,
      does: 'missing',
      missing: 'gone',
    },
    {
      at: { step: 'a', kind: 'onError', index: 1 },
      when: undefined,
      does: 'end',
    },
  ]);
});

test('edges have different ids even when the name of a step contains the separators of ids', () => {
  const name = 'a","routes",0]';
  const { edges } = graphOf({
    start: name,
    steps: [{ name, type: 'wait', routes: [{ to: name }], onError: [{ to: name }] }],
  });
  expect(new Set(edges.map(({ id }) => id)).size).toBe(2);
});

test('the steps before a step are those on any path to it, loops included', () => {
  expect([...stepsBefore(flow, 'b')].toSorted()).toEqual(['a', 'alone', 'b', 'c']);
  expect([...stepsBefore(flow, 'a')]).toEqual([]);
});
