import type { MappingEntry, PreviewedValue } from '@batuta/contracts';
import type { MatrixType } from '@batuta/matrix';
import { MASK } from '../calls/masking';
import { payloadOf } from '../calls/tree';
import { previewed, type Variable } from './preview';

const body: unknown = JSON.parse(`{
  "total": "1.234,56", "count": 3, "flag": "sim", "none": null, "token": "${MASK}",
  "items": [{ "sku": "a,b" }, { "sku": "c" }], "customer": { "name": "Ana", "card": "${MASK}" },
  "__proto__": { "polluted": true }
}`);
const payload = payloadOf(body, 'id=7&tag=a&tag=b', { 'x-event': 'order' });
const preview = (type: MatrixType, pointer: string): PreviewedValue | undefined =>
  previewed([{ pointer, variableId: 'v' }], new Map([['v', { name: 'field', type }]]), payload)[0];

test.each<[MatrixType, string, unknown]>([
  ['Texto', '/total', '1.234,56'],
  ['Moeda', '/total', 1234.56],
  ['Número', '/count', 3],
  ['Verdadeiro/Falso', '/flag', true],
  ['Lista', '/items', [{ sku: 'a,b' }, { sku: 'c' }]],
  ['Texto', '/items/0', '{"sku":"a,b"}'],
  ['Texto', '/items/1/sku', 'c'],
  ['Lista', '/_query/tag', ['a', 'b']],
  ['Número', '/_query/id', 7],
  ['Texto', '/_headers/x-event', 'order'],
  ['Verdadeiro/Falso', '/__proto__/polluted', true],
  // Of a node that holds something masked the rest is shown.
  ['Objeto', '/customer', { name: 'Ana', card: MASK }],
  // Masked values of any type are neither shown nor judged.
  ['Secreto', '/token', MASK],
  ['Número', '/token', MASK],
  ['Secreto', '/count', MASK],
])('%s from %s shows %j', (type, pointer, value) =>
  expect(preview(type, pointer)).toEqual({ variableId: 'v', name: 'field', pointer, value }),
);

test.each<[MatrixType, string]>([
  ['Texto', '/missing'],
  ['Texto', '/items/2'],
  ['Texto', '/items/-'],
  ['Texto', '/total/length'],
  ['Texto', '/constructor'],
  ['Número', '/none'],
  ['Secreto', '/missing'],
])('%s from %s is absent', (type, pointer) =>
  expect(preview(type, pointer)).toEqual({ variableId: 'v', name: 'field', pointer, absent: true }),
);

test.each<[MatrixType, string]>([
  ['Lista', '/customer'],
  ['Número', '/customer'],
  ['Número', '/flag'],
  ['Objeto', '/count'],
  ['Verdadeiro/Falso', '/total'],
])('%s from %s tells why it is refused', (type, pointer) =>
  expect(preview(type, pointer)).toEqual({
    variableId: 'v',
    name: 'field',
    pointer,
    refusal: expect.stringMatching(/^field: /),
  }),
);

test('a variable that is gone has no name and no value', () => {
  const [shown] = previewed([{ pointer: '/total', variableId: 'gone' }], new Map(), payload);
  expect(shown).toEqual({ variableId: 'gone', pointer: '/total', refusal: expect.any(String) });
});

test('what would not fit into a message is left out, and what is smaller is still shown', () => {
  const large = payloadOf({ text: 'x'.repeat(400_000), small: 1 }, '', {});
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const variables = new Map<string, Variable>(ids.map((id) => [id, { name: id, type: 'Texto' }]));
  const entries: MappingEntry[] = ids.map((variableId) => ({ variableId, pointer: '/text' }));
  const shown = previewed(entries, variables, large);
  expect(shown.map(({ omitted, value }) => [omitted, value !== undefined])).toEqual([
    ...ids.slice(0, 3).map(() => [undefined, true]),
    ...ids.slice(3).map(() => [true, false]),
  ]);
  expect(JSON.stringify(shown).length).toBeLessThan(1_600_000);
});

test('nothing more is converted once there is no room to show it', () => {
  let conversions = 0;
  const node = {
    text: 'x'.repeat(700_000),
    toJSON() {
      conversions += 1;
      return this.text;
    },
  };
  const ids = Array.from({ length: 100 }, (_, n) => `v${n}`);
  const variables = new Map<string, Variable>(ids.map((id) => [id, { name: id, type: 'Texto' }]));
  const shown = previewed(
    ids.map((variableId) => ({ variableId, pointer: '/node' })),
    variables,
    payloadOf({ node }, '', {}),
  );
  expect(shown.filter(({ omitted }) => omitted)).toHaveLength(98);
  expect(conversions).toBe(3);
});

test('reading long texts in vain takes room as well', () => {
  const ids = Array.from({ length: 10 }, (_, n) => `v${n}`);
  const variables = new Map<string, Variable>(ids.map((id) => [id, { name: id, type: 'Objeto' }]));
  const entries = ids.map((variableId) => ({ variableId, pointer: '/text' }));
  const shown = previewed(entries, variables, payloadOf({ text: `[${'[],'.repeat(200_000)}` }, '', {}));
  expect(shown.map(({ refusal, omitted }) => (refusal ? 'refused' : omitted))).toEqual([
    'refused',
    'refused',
    'refused',
    ...ids.slice(3).map(() => true),
  ]);
});
