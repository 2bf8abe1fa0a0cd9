import { jsonObstacle, parseJsonText, pathToUnrepresentableNumber } from '.';

test.each(['1e400', '-1e309', '[{"a":1E+400}]', '1e-400', '{"a":[-2.5e-325 ]}', '{"uuid":"e-4123","b":1e-400}'])(
  '%s has a number that no double holds',
  (text) => {
    expect(jsonObstacle(parseJsonText(text))).toBe('number');
  },
);

test.each<[string, string, 'number' | undefined]>([
  ['1 and 309 zeros', `1${'0'.repeat(309)}`, 'number'],
  ['1 behind 324 zeros', `0.${'0'.repeat(324)}1`, 'number'],
  ['1 behind 300 zeros', `[0.${'0'.repeat(300)}1]`, undefined],
])('the number %s, written without an exponent, has its obstacle', (_, text, obstacle) => {
  expect(jsonObstacle(parseJsonText(text))).toBe(obstacle);
});

test.each([
  '0e-400',
  '{"a":0.0e-999}',
  '5e-324',
  '1.7976931348623157e308',
  '"1e-400"',
  '{"a":"1e400, 1e-400,"}',
  '{"__proto__":{"a":1e-300}}',
  '12345678901234567890',
])('%s is parsed as JSON.parse does', (text) => {
  const value = parseJsonText(text);
  expect(value).toEqual(JSON.parse(text));
  expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  expect(jsonObstacle(value)).toBeUndefined();
});

test('text that is not JSON is a SyntaxError', () => {
  expect(() => parseJsonText('{1e-400')).toThrow(SyntaxError);
});

test('strings stay unchanged beside a number that underflows to 0', () => {
  const text = '{"a":"1e-400","b\\"1e-400,":["\\\\",-1e-400,0.5e-400],"c":0e-400,"d":1.5e-300}';
  expect(parseJsonText(text)).toEqual({
    a: '1e-400',
    'b"1e-400,': ['\\', -Infinity, Infinity],
    c: 0,
    d: 1.5e-300,
  });
});

test.each([
  ['digits', `1${'0'.repeat(500_000)}`],
  ['zeros', `"${`${'0'.repeat(199)}1`.repeat(2_500)}"`],
  ['fractions', `["${'0.0'.repeat(150_000)}",1e-400]`],
  ['escapes', `["${'\\\\'.repeat(250_000)}",1e-400]`],
  ['exponents', `["${`1e-111${' '.repeat(99)}`.repeat(5_000)}",1e-400]`],
  ['small numbers', `[${Array(70_000).fill('1e-400').join()}]`],
])('half a megabyte of %s is parsed in linear time', (_, text) => {
  expect(parseJsonText(text)).toBeDefined();
});

test('a value whose nesting would overflow the stack is refused for its depth, even with a number that no double holds inside', () => {
  expect(jsonObstacle(parseJsonText(`${'['.repeat(200_000)}1e-400${']'.repeat(200_000)}`))).toBe('depth');
});

test('pathToUnrepresentableNumber leads to the first number that no double holds', () => {
  expect(pathToUnrepresentableNumber(parseJsonText('{"a":1,"b":[{"c":2},{"d":1e400}]}'))).toEqual(['b', '1', 'd']);
  expect(pathToUnrepresentableNumber({ a: [1, 'Infinity', null] })).toBeUndefined();
});
