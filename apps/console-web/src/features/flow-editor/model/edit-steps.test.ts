import type { DraftFlow, DraftStep } from '../../../flow/draft';
import { addStep, insertInRoute, renameStep, setStepField } from './edit-steps';

const wait = (name: string, fields: Partial<DraftStep> = {}): DraftStep => ({
  name,
  type: 'wait',
  ...fields,
});
const flow: DraftFlow = {
  start: 'a',
  steps: [
    wait('a', { routes: [{ when: '{x}', to: 'b' }], onError: [{ to: 'b' }] }),
    wait('b', { routes: [{ to: 'b' }] }),
  ],
};

test('the first step of an empty flow becomes its start', () => {
  expect(addStep({ start: '', steps: [] }, wait('a'))).toEqual({
    flow: { start: 'a', steps: [wait('a')] },
    name: 'a',
  });
});

test('an added step gets a free name and the route from the chosen step', () => {
  const added = addStep(flow, wait('a'), { step: 'b', kind: 'onError' });
  expect(added.name).toBe('a 2');
  expect(added.flow.steps[1]).toEqual(wait('b', { routes: [{ to: 'b' }], onError: [{ to: 'a 2' }] }));
});

test('a step put into a route keeps the condition before it and goes on to the former target', () => {
  const inserted = insertInRoute(flow, wait('mid'), {
    step: 'a',
    kind: 'routes',
    index: 0,
  });
  expect(inserted.flow.steps[0]?.routes).toEqual([{ when: '{x}', to: 'mid' }]);
  expect(inserted.flow.steps[2]).toEqual(wait('mid', { routes: [{ to: 'b' }] }));
});

test('renaming a step renames the start and every route to it', () => {
  const renamed = renameStep(renameStep(flow, 'b', 'last'), 'a', 'first');
  expect(renamed).toEqual({
    start: 'first',
    steps: [
      wait('first', {
        routes: [{ when: '{x}', to: 'last' }],
        onError: [{ to: 'last' }],
      }),
      wait('last', { routes: [{ to: 'last' }] }),
    ],
  });
});

test('a step cannot be renamed to a taken or an empty name', () => {
  expect(renameStep(flow, 'a', 'b')).toBe(flow);
  expect(renameStep(flow, 'a', ' ')).toBe(flow);
});

test('a field of a step is set and removed by its JSON Pointer, and a value that no step can have changes nothing', () => {
  const set = setStepField(flow, 'a', '/seconds', 3);
  expect(set.steps[0]).toMatchObject({ seconds: 3 });
  expect(setStepField(set, 'a', '/seconds', undefined)).toEqual(flow);
  expect(setStepField(flow, 'a', '/routes', 'none')).toEqual(flow);
  expect(setStepField(flow, 'a', '/name', 'b')).toEqual(flow);
});
