import { testBrowser } from '../../../test/browser';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { PageServer } from '../../../test/page-server';

const TABLE = `<!doctype html><meta charset="utf-8"><table>
  <thead><tr><th rowspan="2">Pedido<th colspan="2">Valor</tr><tr><th>Sum<th>Net</tr></thead>
  <tbody><tr><td rowspan="2">7<td>10<td>9</tr><tr><td>20<td>18</tr></tbody>
  <tbody><tr><td rowspan="9">8<td>5<td>4</tr><tr><td>2<td>1</tr></tbody><tfoot><tr><td>9<td>6<td>3</tr></tfoot></table>`;

const sandbox = useSandbox({ workers: 1 });
let pages: PageServer;

beforeAll(async () => {
  pages = await PageServer.create({ '/': TABLE, '/rest': TABLE.replace('rowspan="9"', 'rowspan="0"') });
});
afterAll(() => pages.close());

test.each([
  ['rows', '/'],
  ['the rest of its section by rowspan="0"', '/rest'],
])('a cell of a table that spans %s is in each of them, and no other cell leaves its column', async (_rows, path) => {
  const world = createFlowWorld(sandbox, { browser: await testBrowser() });
  await world.run([
    {
      name: 'read',
      type: 'browser',
      actions: [
        { action: 'open', url: `${pages.url}${path}` },
        { action: 'readTable', selector: 'table' },
      ],
      as: 'table',
      routes: [{ to: 'show' }],
    },
    { name: 'show', type: 'variables', rows: [{ name: 'shown', mode: 'Variável ou texto', value: '{table}' }] },
  ]);
  const rows = [
    { Pedido: '7', Sum: '10', Net: '9' },
    { Pedido: '7', Sum: '20', Net: '18' },
    { Pedido: '8', Sum: '5', Net: '4' },
    { Pedido: '8', Sum: '2', Net: '1' },
    { Pedido: '9', Sum: '6', Net: '3' },
  ];
  expect(world.messages()).toContain(`shown = ${JSON.stringify(rows)}`);
});
