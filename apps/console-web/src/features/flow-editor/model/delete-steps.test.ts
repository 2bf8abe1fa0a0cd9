import { deleteSteps } from './delete-steps';
import type { DraftFlow, DraftRoute, DraftStep } from '../../../flow/draft';

const step = (name: string, routes?: DraftRoute[], fields: Partial<DraftStep> = {}): DraftStep => ({
  name,
  type: 'rest',
  ...(routes && { routes }),
  ...fields,
});
const flow = (...steps: DraftStep[]): DraftFlow => ({
  start: steps[0]?.name ?? '',
  steps,
});
const routesOfA = (changed: DraftFlow) => changed.steps.find(({ name }) => name === 'a')?.routes;

test('the step before a removed step continues with the step after it', () => {
  const chain = flow(step('a', [{ to: 'b' }]), step('b', [{ to: 'c' }]), step('c'));
  expect(deleteSteps(chain, ['b'])).toEqual(flow(step('a', [{ to: 'c' }]), step('c')));
  expect(deleteSteps(chain, ['c'])).toEqual(flow(step('a', [{ to: 'b' }]), step('b')));
});

test('several consecutive steps are removed together', () => {
  const chain = flow(
    step('a', [{ when: '{x}', to: 'b' }]),
    step('b', [{ to: 'c' }]),
    step('c', [{ to: 'd' }]),
    step('d'),
  );
  expect(routesOfA(deleteSteps(chain, ['b', 'c']))).toEqual([{ when: '{x}', to: 'd' }]);
  expect(routesOfA(deleteSteps(chain, ['c', 'b']))).toEqual([{ when: '{x}', to: 'd' }]);
});

test('the route around a removed step has the conditions of both routes that it replaces', () => {
  const branches = flow(
    step('a', [{ when: '{x}', to: 'b' }, { to: 'd' }]),
    step('b', [{ when: '{y}', to: 'c' }, { to: 'd' }]),
    step('c'),
    step('d'),
  );
  expect(routesOfA(deleteSteps(branches, ['b']))).toEqual([
    { when: '({x}) && ({y})', to: 'c' },
    { when: '{x}', to: 'd' },
    { to: 'd' },
  ]);
});

test('the route around a removed step has no condition on the result of that step', () => {
  const ok = step('b', [{ when: '{reply.status} == 201', to: 'c' }, { terminate: true }], { as: 'reply' });
  expect(routesOfA(deleteSteps(flow(step('a', [{ to: 'b' }]), ok, step('c')), ['b']))).toEqual([{ to: 'c' }]);
});

test('if the removed step also has an unconditional route, its route with a condition on its result is removed', () => {
  const bad = step('b', [{ when: '{reply.status} >= 400', to: 'd' }, { to: 'c' }], { as: 'reply' });
  expect(routesOfA(deleteSteps(flow(step('a', [{ to: 'b' }]), bad, step('c'), step('d')), ['b']))).toEqual([
    { to: 'c' },
  ]);
});

test('a conditional route to a removed last step still ends the flow, and does not fall through to the next route', () => {
  const ends = flow(step('a', [{ when: '{x}', to: 'b' }, { to: 'c' }]), step('b'), step('c'));
  expect(routesOfA(deleteSteps(ends, ['b']))).toEqual([{ when: '{x}' }, { to: 'c' }]);
});

test('an error that was handled by the removed step is still handled', () => {
  const handled = flow(step('a', undefined, { onError: [{ to: 'b' }] }), step('b'));
  expect(deleteSteps(handled, ['b']).steps).toEqual([step('a', undefined, { onError: [{}] })]);
});

test('after the removal of the first step its successor, or else the first remaining step, becomes the start', () => {
  expect(deleteSteps(flow(step('a', [{ to: 'c' }]), step('b'), step('c')), ['a']).start).toBe('c');
  expect(deleteSteps(flow(step('a'), step('b')), ['a']).start).toBe('b');
  expect(deleteSteps(flow(step('a')), ['a'])).toEqual({ start: '', steps: [] });
});

test('a route from the removed step to itself is not passed on to its predecessor', () => {
  const loop = flow(step('a', [{ to: 'b' }]), step('b', [{ when: '{again}', to: 'b' }, { to: 'a' }]));
  expect(routesOfA(deleteSteps(loop, ['b']))).toEqual([{ to: 'a' }]);
});

test('the removal of a step that does not exist changes nothing', () => {
  const one = flow(step('a'));
  expect(deleteSteps(one, ['x'])).toBe(one);
});
