import type { StartRequest, TriggerKind } from '@batuta/contracts';
import type { MatrixVariable } from '@batuta/matrix';
import { convertValues, refusedValues } from './convert-values';

const MATRIX_VARIABLES: MatrixVariable[] = [
  { id: 'v1', name: 'total', type: 'Moeda', default: 5 },
  { id: 'v2', name: 'note', type: 'Texto', default: null },
  { id: 'v3', name: 'token', type: 'Secreto', default: null },
  { id: 'v4', name: 'items', type: 'Lista', default: null },
];

function convertOfTrigger(values: [string, unknown][], kind: TriggerKind = 'webhook') {
  const request: Pick<StartRequest, 'mapped' | 'trigger'> = {
    trigger: { kind, accountID: null, userName: 'Shop', executor: 'Shop' },
    mapped: {
      originID: 'o',
      versionID: 'v',
      values: values.map(([variableID, value]) => ({ variableID, value })),
    },
  };
  const { matrix, skipped } = convertValues(MATRIX_VARIABLES, request);
  return { values: matrix.map(({ value }) => value), skipped };
}

test.each<[string, [string, unknown][], unknown[]]>([
  ['unmapped variables have their defaults', [], [5, '', null, []]],
  ['a mapped field is converted by the type of its variable', [['v1', 'R$ 1.234,56']], [1234.56, '', null, []]],
  ['a field that is null counts as not sent', [['v1', null]], [5, '', null, []]],
  [
    'an object or list becomes JSON text in a Texto and in a Secreto',
    [
      ['v2', { a: [1] }],
      ['v3', [1]],
    ],
    [5, '{"a":[1]}', '[1]', []],
  ],
  ['a list in a Lista keeps its items', [['v4', ['a,b', { c: 1 }]]], [5, '', null, ['a,b', { c: 1 }]]],
])('a mapped start has the values of its payload: %s', (_, sent, values) =>
  expect(convertOfTrigger(sent)).toEqual({ values, skipped: [] }),
);

test.each<[string, [string, unknown][], RegExp]>([
  ['text that is not an amount', [['v1', 'abc']], /^total: /],
  ['an object in a Lista', [['v4', { a: 1 }]], /^items: /],
  ['a node in a Moeda', [['v1', [1]]], /^total: /],
])('a mapped value is refused with the name of its variable: %s', (_, sent, message) =>
  expect(() => convertOfTrigger(sent)).toThrow(message),
);

test('a variable that a repeated run had without a value starts without one, whatever its default', () => {
  const trigger = { kind: 'manual' as const, accountID: 'a', userName: 'Ana', executor: 'Ana' };
  const valueOf = (withoutDefault?: string[]) =>
    convertValues(MATRIX_VARIABLES, { trigger, matrix: { total: null }, withoutDefault }).matrix[0]?.value;
  expect([valueOf(), valueOf(['total'])]).toEqual([5, null]);
});

test('a mapped variable that has been deleted is skipped and reported', () => {
  expect(
    convertOfTrigger([
      ['gone', 1],
      ['v1', 2],
    ]),
  ).toEqual({ values: [2, '', null, []], skipped: ['gone'] });
});

test('a debug run carries no Secreto', () => {
  expect(
    convertOfTrigger(
      [
        ['v3', 's3cret'],
        ['v1', 2],
      ],
      'debug',
    ),
  ).toEqual({ values: [2, '', null, []], skipped: [] });
});

test('every value that does not convert is listed, with unknown names and without the value of a Secreto', () => {
  const sent = { total: '1,2,3', token: { a: Infinity }, items: [1], other: 1, ['__proto__']: 1 };
  const refused = refusedValues(MATRIX_VARIABLES, sent);
  expect(refused.map(({ name }) => name)).toEqual(['total', 'token', 'other', '__proto__']);
  expect(refused[0]?.message).toBe('total: "1,2,3" is not an amount of money');
  expect(refused[2]?.message).toBe('other: no such variable in this process');
  expect(refusedValues(MATRIX_VARIABLES, { total: '1,50' })).toEqual([]);
});
