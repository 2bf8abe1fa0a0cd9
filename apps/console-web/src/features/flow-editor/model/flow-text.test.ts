import { parseFlowText, flowTextOf } from './flow-text';
import { rangeOf, syntaxErrorIn } from './text-places';

const text = flowTextOf({
  start: 'a',
  steps: [{ name: 'a', 'x/y': { '"': [1, 2.5] } }, { name: 'b' }],
});
const at = (...segments: string[]) => {
  const { from, to } = rangeOf(text, segments);
  return JSON.parse(text.slice(from, to));
};

test('a value is found in JSON text by its JSON Pointer', () => {
  expect(at('steps', '1', 'name')).toBe('b');
  expect(at('steps', '0', 'x/y', '"', '1')).toBe(2.5);
  expect(at()).toEqual(JSON.parse(text));
});

test('for a value that JSON text lacks the nearest existing parent is found', () => {
  expect(at('steps', '1', 'routes', '0', 'to')).toEqual({ name: 'b' });
  expect(at('steps', '7')).toHaveLength(2);
});

test('a text with a number that no double holds is refused, because the saved flow would have null for it', () => {
  expect(parseFlowText('{"steps": [{"body": {"total": 1e400}}]}')).toBeUndefined();
  expect(parseFlowText('-1e400')).toBeUndefined();
  expect(parseFlowText('1e300')).toEqual({ json: 1e300 });
});

test('the first invalid place of a text that is not JSON is found', () => {
  expect(parseFlowText(text)).toEqual({ json: JSON.parse(text) });
  expect(parseFlowText('{"a": 1, }')).toBeUndefined();
  expect(syntaxErrorIn('{"a": 1, }')).toEqual({ from: 9, to: 10 });
  expect(syntaxErrorIn('')).toMatchObject({ from: 0 });
});
