import * as fc from 'fast-check';
import { parseWithRaw, RawJson, refusedName, stringifyWithRaw } from '.';

test('the text of a RawJson is written unchanged, at any position in a value', () => {
  const value = { a: [new RawJson('[{}, "$&", 1e400]'), { b: new RawJson('{"c":1}') }], d: 'raw-json-0' };
  const { json, ranges = '' } = stringifyWithRaw(value);
  expect(json).toBe('{"a":[[{}, "$&", 1e400],{"b":{"c":1}}],"d":"raw-json-0"}');
  expect(ranges.split(',').map((range) => json.slice(...range.split('-').map(Number)))).toEqual([
    '[{}, "$&", 1e400]',
    '{"c":1}',
  ]);
});

test('a value without a RawJson is written as plain JSON, without ranges', () => {
  const value = { a: ['x', 1, null, { b: undefined }] };
  expect(stringifyWithRaw(value)).toEqual({ json: JSON.stringify(value), ranges: undefined });
});

test('JSON.stringify writes a RawJson as the value that its text describes', () => {
  const value = { a: [new RawJson('[{},1]')] };
  expect(JSON.stringify(value)).toBe('{"a":[[{},1]]}');
  expect(() => stringifyWithRaw({ a: new RawJson('[1]'), b: 1n })).toThrow(TypeError);
  expect(JSON.stringify(value)).toBe('{"a":[[{},1]]}');
});

/** The value with a RawJson in place of each list and object at depth two, as a matrix has them. */
function withRaw(value: Record<string, Record<string, unknown>>): Record<string, unknown> {
  const shortened = Object.entries(value).map(([name, fields]) => {
    const entries = Object.entries(fields).map(([key, item]): [string, unknown] => {
      const isStructure = typeof item === 'object' && item !== null;
      return [key, isStructure ? new RawJson(JSON.stringify(item)) : item];
    });
    return [name, Object.fromEntries(entries)];
  });
  return Object.fromEntries(shortened);
}

const text = fc.string({ unit: 'binary' });
const anyValue = fc.dictionary(text, fc.dictionary(text, fc.oneof(fc.jsonValue(), text)));

test('a value with RawJson parts is written to the same bytes as the value without them, and reading it with its ranges gives the same value', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      // After such a name, JSON.parse of Node 24 may read later names wrongly.
      fc.pre(refusedName(JSON.stringify(value)) === undefined);
      const { json, ranges } = stringifyWithRaw(withRaw(value));
      expect(json).toBe(JSON.stringify(value));
      const read = ranges === undefined ? JSON.parse(json) : parseWithRaw(json, ranges);
      expect(stringifyWithRaw(read)).toEqual({ json, ranges });
      expect(JSON.stringify(read)).toBe(json);
    }),
  );
});

test('a RawJson under a name that every object inherits stays under this name', () => {
  const json = '{"__proto__":{"constructor":[1]}}';
  const read = parseWithRaw(json, '13-32');
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  expect(stringifyWithRaw(read)).toEqual({ json, ranges: '13-32' });
});

test.each(['', 'x', '5', '3-', '4-2', '0-99', '2-4,3-5', '5-6,1-2', '-1-3'])(
  'invalid ranges such as %j give no RawJson, and every part is parsed',
  (ranges) => {
    expect(parseWithRaw('{"a":[1]}', ranges)).toEqual({ a: [1] });
  },
);
