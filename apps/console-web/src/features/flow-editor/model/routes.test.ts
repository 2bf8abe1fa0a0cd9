import type { DraftFlow, DraftRoute } from '../../../flow/draft';
import { connect, disconnect, redirect, unreachableRoutes } from './routes';

const flowWith = (routes: DraftRoute[]): DraftFlow => ({
  start: 'a',
  steps: [
    { name: 'a', type: 'wait', routes },
    { name: 'b', type: 'wait' },
    { name: 'c', type: 'wait' },
  ],
});
const routesOfA = (flow: DraftFlow) => flow.steps[0]?.routes;

test('a new connection between two steps becomes the last route of the first one', () => {
  expect(routesOfA(connect(flowWith([{ when: '1', to: 'c' }]), 'a', 'routes', 'b'))).toEqual([
    { when: '1', to: 'c' },
    { to: 'b' },
  ]);
});

test('a new connection from a step with an unconditional route gets a condition to fill in, and is placed before that route', () => {
  expect(routesOfA(connect(flowWith([{ to: 'b' }]), 'a', 'routes', 'c'))).toEqual([
    { when: 'false', to: 'c' },
    { to: 'b' },
  ]);
});

test('an onError route differs from a route, and no route is added twice or to a missing step', () => {
  const flow = connect(flowWith([]), 'a', 'onError', 'b');
  expect(flow.steps[0]).toEqual({
    name: 'a',
    type: 'wait',
    routes: [],
    onError: [{ to: 'b' }],
  });
  expect(connect(flow, 'a', 'onError', 'b')).toBe(flow);
  expect(connect(flow, 'a', 'routes', 'gone')).toBe(flow);
});

test('a step takes no more than 50 routes', () => {
  const flow = flowWith(Array.from({ length: 50 }, () => ({ when: '1', to: 'c' })));
  expect(connect(flow, 'a', 'routes', 'b')).toBe(flow);
});

test('a route is removed, and redirected with its condition', () => {
  const flow = flowWith([{ when: '1', to: 'b' }, { terminate: true }]);
  const at = { step: 'a', kind: 'routes', index: 0 } as const;
  expect(routesOfA(disconnect(flow, at))).toEqual([{ terminate: true }]);
  expect(routesOfA(redirect(flow, at, 'c'))).toEqual([{ when: '1', to: 'c' }, { terminate: true }]);
});

test('routes behind one without condition are never taken', () => {
  expect(unreachableRoutes([{ when: '1' }, { to: 'b' }, { to: 'c' }])).toEqual([2]);
  expect(unreachableRoutes([{ when: '1' }])).toEqual([]);
});
