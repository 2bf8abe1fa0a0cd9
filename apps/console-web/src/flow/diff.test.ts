import { diffFlows } from './diff';
import type { DraftFlow } from './draft';

const before: DraftFlow = {
  start: 'a',
  steps: [
    { name: 'a', type: 'wait', seconds: 1, routes: [{ to: 'b' }] },
    {
      name: 'b',
      type: 'rest',
      method: 'GET',
      url: 'https://x',
      headers: { A: '1' },
    },
    { name: 'c', type: 'wait', seconds: 1 },
  ],
};

test('equal flows have no difference, whatever the order of their steps', () => {
  const reordered = {
    start: 'a',
    steps: before.steps.toReversed().map((step) => ({ ...step })),
  };
  expect(diffFlows(before, reordered)).toEqual({ flow: [], steps: [] });
});

test('a comparison of two flows names added and removed steps, and the smallest fields of changed ones', () => {
  const after: DraftFlow = {
    start: 'b',
    stepLimit: 10,
    steps: [
      {
        name: 'a',
        type: 'wait',
        seconds: 1,
        routes: [{ when: '{x}', to: 'b' }],
      },
      {
        name: 'b',
        type: 'rest',
        method: 'GET',
        url: 'https://y',
        headers: { B: '2' },
      },
      { name: 'd', type: 'script', code: '' },
    ],
  };
  expect(diffFlows(before, after)).toEqual({
    flow: [
      { path: '/start', before: 'a', after: 'b' },
      { path: '/stepLimit', before: undefined, after: 10 },
    ],
    steps: [
      {
        name: 'a',
        change: 'changed',
        fields: [{ path: '/routes/0/when', before: undefined, after: '{x}' }],
      },
      {
        name: 'b',
        change: 'changed',
        fields: [
          { path: '/url', before: 'https://x', after: 'https://y' },
          { path: '/headers/A', before: '1', after: undefined },
          { path: '/headers/B', before: undefined, after: '2' },
        ],
      },
      { name: 'd', change: 'added', fields: [] },
      { name: 'c', change: 'removed', fields: [] },
    ],
  });
});

test('a renamed step is one change of a flow, and the routes to it are unchanged', () => {
  const [first, second, ...others] = before.steps;
  if (!first || !second) throw new Error('no steps');
  const after = {
    start: 'a',
    steps: [{ ...first, routes: [{ to: 'call' }] }, { ...second, name: 'call' }, ...others],
  };
  expect(diffFlows(before, after)).toEqual({
    flow: [],
    steps: [{ name: 'call', change: 'renamed', from: 'b', fields: [] }],
  });
});
