import { messageOfRefusedText, parseFlowText, flowTextOf, unheldNumberIn } from './flow-text';
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

test('a text with a number that no double holds is refused, because the saved flow would have null or 0 for it', () => {
  for (const number of ['1e400', '-1e400', '1e-400', `0.${'0'.repeat(400)}1`]) {
    expect(parseFlowText(`{"steps": [{"body": {"total": ${number}}}]}`)).toBeUndefined();
    expect(parseFlowText(number)).toBeUndefined();
  }
  expect(parseFlowText('[1e300, 1e-300, 0e-400, -0.0, "1e400"]')).toEqual({ json: [1e300, 1e-300, 0, -0, '1e400'] });
});

test('the number that no double holds is found in a text, and only in one that is JSON', () => {
  const refused = '{"1e400": ["\\"1e400", 1.5, -2E-400, 1e400]}';
  expect(unheldNumberIn(refused)).toEqual({ number: '-2E-400', from: 27, to: 34 });
  expect(unheldNumberIn('9'.repeat(400))).toMatchObject({ number: `${'9'.repeat(40)}…`, to: 400 });
  expect(unheldNumberIn('{"a": 1e400, }')).toBeUndefined();
  expect(unheldNumberIn('[1e300, "1e400"]')).toBeUndefined();
});

test('the refusal of a text names the number that no double holds', () => {
  const t = (key: string, { number }: { number: string }) => `${key} ${number}`;
  expect(messageOfRefusedText('[1e400]', t, 'not JSON')).toBe('form.unheldNumber 1e400');
  expect(messageOfRefusedText('[1e400', t, 'not JSON')).toBe('not JSON');
});

test('the first invalid place of a text that is not JSON is found', () => {
  expect(parseFlowText(text)).toEqual({ json: JSON.parse(text) });
  expect(parseFlowText('{"a": 1, }')).toBeUndefined();
  expect(syntaxErrorIn('{"a": 1, }')).toEqual({ from: 9, to: 10 });
  expect(syntaxErrorIn('')).toMatchObject({ from: 0 });
});
