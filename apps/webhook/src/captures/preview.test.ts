import type { MappingEntry, PreviewedValue } from '@batuta/contracts';
import type { MatrixType } from '@batuta/matrix';
import { MASK } from '../masking/masking';
import { payloadOf } from '../payload/payload-tree';
import { previewMapping, type PreviewVariable } from './preview';

const BODY: unknown = JSON.parse(`{
  "total": "1.234,56", "count": 3, "flag": "sim", "none": null, "token": "${MASK}",
  "items": [{ "sku": "a,b" }, { "sku": "c" }], "customer": { "name": "Ana", "card": "${MASK}" },
  "__proto__": { "polluted": true }
}`);
const PAYLOAD = payloadOf(BODY, 'id=7&tag=a&tag=b', { 'x-event': 'order' });
const previewValue = (type: MatrixType, pointer: string): PreviewedValue | undefined =>
  previewMapping([{ pointer, variableId: 'v' }], new Map([['v', { name: 'field', type }]]), PAYLOAD)[0];

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
  // A node with a masked part is shown with the mask.
  ['Objeto', '/customer', { name: 'Ana', card: MASK }],
  // A masked value is shown as the mask and not converted, whatever the type.
  ['Secreto', '/token', MASK],
  ['Número', '/token', MASK],
  ['Secreto', '/count', MASK],
])('a %s variable mapped to %s is previewed as %j', (type, pointer, value) =>
  expect(previewValue(type, pointer)).toEqual({ variableId: 'v', name: 'field', pointer, value }),
);

test.each<[MatrixType, string]>([
  ['Texto', '/missing'],
  ['Texto', '/items/2'],
  ['Texto', '/items/-'],
  ['Texto', '/total/length'],
  ['Texto', '/constructor'],
  ['Número', '/none'],
  ['Secreto', '/missing'],
])('a %s variable mapped to %s is absent from the payload', (type, pointer) =>
  expect(previewValue(type, pointer)).toEqual({ variableId: 'v', name: 'field', pointer, absent: true }),
);

test.each<[MatrixType, string]>([
  ['Lista', '/customer'],
  ['Número', '/customer'],
  ['Número', '/flag'],
  ['Objeto', '/count'],
  ['Verdadeiro/Falso', '/total'],
])('a %s variable mapped to %s is previewed with the reason of its refusal', (type, pointer) =>
  expect(previewValue(type, pointer)).toEqual({
    variableId: 'v',
    name: 'field',
    pointer,
    refusal: expect.stringMatching(/^field: /),
  }),
);

test('a deleted variable is previewed without name and value', () => {
  const [shown] = previewMapping([{ pointer: '/total', variableId: 'gone' }], new Map(), PAYLOAD);
  expect(shown).toEqual({ variableId: 'gone', pointer: '/total', refusal: expect.any(String) });
});

test('values that would not fit into a message are omitted', () => {
  const large = payloadOf({ text: 'x'.repeat(400_000), small: 1 }, '', {});
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const variables = new Map<string, PreviewVariable>(ids.map((id) => [id, { name: id, type: 'Texto' }]));
  const entries: MappingEntry[] = ids.map((variableId) => ({ variableId, pointer: '/text' }));
  const shown = previewMapping(entries, variables, large);
  expect(shown.map(({ omitted, value }) => [omitted, value !== undefined])).toEqual([
    ...ids.slice(0, 3).map(() => [undefined, true]),
    ...ids.slice(3).map(() => [true, false]),
  ]);
  expect(JSON.stringify(shown).length).toBeLessThan(1_600_000);
});

test('no more values are converted once the maximum size is reached', () => {
  let conversions = 0;
  const node = {
    text: 'x'.repeat(700_000),
    toJSON() {
      conversions += 1;
      return this.text;
    },
  };
  const ids = Array.from({ length: 100 }, (_, n) => `v${n}`);
  const variables = new Map<string, PreviewVariable>(ids.map((id) => [id, { name: id, type: 'Texto' }]));
  const shown = previewMapping(
    ids.map((variableId) => ({ variableId, pointer: '/node' })),
    variables,
    payloadOf({ node }, '', {}),
  );
  expect(shown.filter(({ omitted }) => omitted)).toHaveLength(98);
  expect(conversions).toBe(3);
});

test('long texts that are refused count towards the maximum size', () => {
  const ids = Array.from({ length: 10 }, (_, n) => `v${n}`);
  const variables = new Map<string, PreviewVariable>(ids.map((id) => [id, { name: id, type: 'Objeto' }]));
  const entries = ids.map((variableId) => ({ variableId, pointer: '/text' }));
  const shown = previewMapping(entries, variables, payloadOf({ text: `[${'[],'.repeat(200_000)}` }, '', {}));
  expect(shown.map(({ refusal, omitted }) => (refusal ? 'refused' : omitted))).toEqual([
    'refused',
    'refused',
    'refused',
    ...ids.slice(3).map(() => true),
  ]);
});
