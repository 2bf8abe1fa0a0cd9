import type { DraftFlow } from '../../../flow/draft';
import { layoutOf, NODE_WIDTH, positionBeside, positionsOf } from './layout';

const flow: DraftFlow = {
  start: 'a',
  steps: [
    {
      name: 'a',
      type: 'rest',
      routes: [{ when: '{x}', to: 'b' }, { to: 'constructor' }],
      onError: [{ to: 'constructor' }],
    },
    { name: 'b', type: 'wait', routes: [{ to: 'constructor' }] },
    {
      name: 'constructor',
      type: 'wait',
      routes: [{ to: 'constructor' }, { terminate: true }],
    },
    { name: 'alone', type: 'wait' },
  ],
};

test('the same flow is laid out in the same way, from left to right and without overlaps', () => {
  const layout = layoutOf(flow).steps;
  expect(layoutOf(structuredClone(flow)).steps).toEqual(layout);
  const x = (name: string) => layout.get(name)?.x ?? NaN;
  expect(x('b')).toBeGreaterThanOrEqual(x('a') + NODE_WIDTH);
  expect(x('constructor')).toBeGreaterThanOrEqual(x('b') + NODE_WIDTH);
  const places = [...layout.values()].map((position) => JSON.stringify(position));
  expect(new Set(places).size).toBe(4);
});

test('a step that was moved by hand stays where it is', () => {
  const position = { x: 5, y: 7 };
  expect(positionsOf(flow, new Map([['b', position]])).get('b')).toBe(position);
  expect(positionsOf(flow, new Map()).get('b')).toEqual(layoutOf(flow).steps.get('b'));
});

test('a new step is placed to the right of the step that it follows, and never overlaps another one', () => {
  const positions = new Map([['a', { x: 0, y: 0 }]]);
  const first = positionBeside(positions, 'a');
  expect(first).toEqual({ x: NODE_WIDTH + 160, y: 0 });
  const second = positionBeside(new Map([...positions, ['b', first]]), 'a');
  expect(second.x).toBe(first.x);
  expect(second.y).toBeGreaterThan(first.y + 70);
  expect(positionBeside(new Map(), undefined)).toEqual({ x: 0, y: 0 });
});

test('no steps of a large flow with loops and branches overlap', () => {
  const steps = Array.from({ length: 300 }, (_, index) => ({
    name: `s${index}`,
    type: 'wait',
    routes: [{ to: `s${index + 1}` }, { to: `s${index + 4}` }, { to: `s${Math.floor(index / 3)}` }],
  }));
  const places = [...layoutOf({ start: 's0', steps }).steps.values()];
  const close = places.filter((a, index) =>
    places.slice(index + 1).some((b) => Math.abs(a.x - b.x) < NODE_WIDTH && Math.abs(a.y - b.y) < 76),
  );
  expect(close).toEqual([]);
});

test('the steps of a chain are on one line, and the branches of a step on both sides of it', () => {
  const step = (name: string, ...targets: string[]) => ({
    name,
    type: 'wait',
    routes: targets.map((to) => ({ to })),
  });
  const chain = layoutOf({
    start: 'a',
    steps: [step('a', 'b'), step('b', 'c'), step('c')],
  }).steps;
  expect(new Set([...chain.values()].map(({ y }) => y)).size).toBe(1);
  const fork = layoutOf({
    start: 'a',
    steps: [step('a', 'b', 'c'), step('b', 'd'), step('c', 'd'), step('d')],
  }).steps;
  const y = (name: string) => fork.get(name)?.y ?? NaN;
  expect(y('b')).toBeLessThan(y('a'));
  expect(y('c')).toBeGreaterThan(y('a'));
  expect(Math.abs(y('d') - y('a'))).toBeLessThanOrEqual(10);
});

test('a route past other steps bends around them', () => {
  const step = (name: string, ...targets: string[]) => ({
    name,
    type: 'wait',
    routes: targets.map((to) => ({ to })),
  });
  const { steps, bends } = layoutOf({
    start: 'a',
    steps: [step('a', 'b', 'c'), step('b', 'c'), step('c')],
  });
  const [[bend] = []] = bends.values();
  const b = steps.get('b') ?? { x: NaN, y: NaN };
  expect(bend?.x).toBe(b.x);
  expect((bend?.y ?? b.y) < b.y || (bend?.y ?? b.y) > b.y + 76).toBe(true);
});
