import { tableRows } from './table-rows';

test.each<[string, string[][], Record<string, string>[]]>([
  ['no rows', [['Pedido']], []],
  ['nothing at all', [], []],
  [
    'names from its header',
    [
      ['Pedido', 'Total'],
      ['7', '1.234,50'],
    ],
    [{ Pedido: '7', Total: '1.234,50' }],
  ],
  [
    'empty, repeated and missing names',
    [
      ['Valor', '', 'Valor'],
      ['a', 'b', 'c', 'd'],
    ],
    [{ Valor: 'a', 'column 2': 'b', Valor_2: 'c', 'column 4': 'd' }],
  ],
  ['a short row', [['a', 'b'], ['1']], [{ a: '1', b: '' }]],
  ['a name over several lines', [['Nota\n fiscal'], ['1']], [{ 'Nota fiscal': '1' }]],
])('a table with %s becomes a list of objects', (_rule, cells, expected) => {
  expect(tableRows(cells)).toEqual(expected);
});

test('thousands of columns with one text get a name each', () => {
  const header = Array.from({ length: 20_000 }, () => 'Valor');
  const [row = {}] = tableRows([header, ['1']]);
  expect(Object.keys(row).at(-1)).toBe('Valor_20000');
});

test.each([
  ['many columns', [Array.from({ length: 200_000 }, () => '')]],
  ['a long name', [['x'.repeat(500_000)]]],
])(
  'a table with %s and many short rows is refused, because each row would repeat the names',
  (_what, [header = []]) => {
    const rows = Array.from({ length: 1_000 }, () => []);
    expect(() => tableRows([header, ...rows])).toThrow(
      `the table is too large: 1000 rows with ${header.length} columns`,
    );
  },
);
