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
