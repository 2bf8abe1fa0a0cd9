import { readDraft, withRoutes } from './draft';

const step = { name: 'a', type: 'wait', seconds: 1 };

test('a flow with mistakes in other fields than names, types and routes can be drawn and keeps every field', () => {
  const flow = {
    start: 'a',
    stepLimit: 'many',
    steps: [{ ...step, seconds: 'soon', unknown: [1] }],
  };
  expect(readDraft(flow)).toEqual({ flow });
});

test.each([
  [null, '', 'not-an-object'],
  [[], '', 'not-an-object'],
  [{ steps: [] }, '/start', 'not-a-text'],
  [{ start: '', steps: {} }, '/steps', 'not-a-list'],
  [{ start: '', steps: [7] }, '/steps/0', 'not-an-object'],
  [{ start: '', steps: [{ type: 'wait' }] }, '/steps/0/name', 'not-a-text'],
  [{ start: '', steps: [{ name: 'a' }] }, '/steps/0/type', 'not-a-text'],
  [{ start: '', steps: [{ ...step, routes: {} }] }, '/steps/0/routes', 'not-a-list'],
  [{ start: '', steps: [{ ...step, routes: [1] }] }, '/steps/0/routes/0', 'not-an-object'],
  [{ start: '', steps: [{ ...step, onError: [{ to: 1 }] }] }, '/steps/0/onError/0/to', 'not-a-text'],
  [{ start: '', steps: [{ ...step, routes: [{ when: true }] }] }, '/steps/0/routes/0/when', 'not-a-text'],
  [{ start: 'a', steps: [step, step] }, '/steps/1/name', 'duplicate-name'],
  [JSON.parse('{"start":"","steps":[{"name":"a","type":"wait","__proto__":{}}]}'), '/steps/0', 'forbidden-key'],
])('the definition %j cannot be drawn: the value at "%s" is refused as %s', (definition, path, reason) => {
  expect(readDraft(definition)).toEqual({ problem: { path, reason } });
});

test('a step whose last route is removed has no empty list of routes', () => {
  expect(withRoutes({ ...step, routes: [{ to: 'b' }] }, 'routes', [])).toEqual(step);
  expect(withRoutes(step, 'onError', [{ to: 'b' }])).toEqual({
    ...step,
    onError: [{ to: 'b' }],
  });
});
