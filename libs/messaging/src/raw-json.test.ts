import { RawJson, stringifyWithRaw } from './raw-json';

test('a part of JSON text is passed on unchanged, wherever it stands', () => {
  const value = { a: [new RawJson('[{}, "$&", 1e400]'), { b: new RawJson('{"c":1}') }], d: 'raw-json-0' };
  expect(stringifyWithRaw(value)).toBe('{"a":[[{}, "$&", 1e400],{"b":{"c":1}}],"d":"raw-json-0"}');
});

test('a value without such parts is plain JSON', () => {
  const value = { a: ['x', 1, null, { b: undefined }] };
  expect(stringifyWithRaw(value)).toBe(JSON.stringify(value));
});
