import { RawJson } from '@batuta/json';
import * as fc from 'fast-check';
import { payloadOf, payloadTree } from '../payload/payload-tree';
import { containsMask, MASK, maskPayload } from './masking';
import { redactPayload } from './stored-payload';

const BODY = { card: { number: '4111', cvv: '123' }, tags: ['a', 'b'], note: null };

test.each<[string, string[], unknown]>([
  ['a field', ['/card/number'], { ...BODY, card: { number: MASK, cvv: '123' } }],
  ['two fields of one node', ['/card/number', '/card/cvv'], { ...BODY, card: { number: MASK, cvv: MASK } }],
  ['a whole node', ['/card'], { ...BODY, card: MASK }],
  ['a node and a field of it', ['/card', '/card/number'], { ...BODY, card: MASK }],
  ['a field and the node that contains it', ['/card/number', '/card'], { ...BODY, card: MASK }],
  ['an item', ['/tags/1'], { ...BODY, tags: ['a', MASK] }],
  ['a null value', ['/note'], { ...BODY, note: MASK }],
  ['the whole body', [''], MASK],
  ['no field that does not exist', ['/tags/2', '/tags/-', '/card/toString', '/x/y', 'bad', '/~'], BODY],
])('masking replaces %s', (_, pointers, expected) => {
  const before = structuredClone(BODY);
  const { body } = maskPayload(payloadOf(BODY, '', {}), pointers);
  expect(body).toStrictEqual(expected);
  expect(BODY).toStrictEqual(before);
});

test('masking replaces fields of query and headers, or either as a whole', () => {
  const payload = payloadOf({ a: 1 }, 'token=x&b=1&b=2', { 'x-token': 'y', 'x-event': 'push' });
  expect(maskPayload(payload, ['/_query/token', '/_query/b/0', '/_headers/x-token']).tree).toStrictEqual({
    a: 1,
    _query: { token: MASK, b: [MASK, '2'] },
    _headers: { 'x-token': MASK, 'x-event': 'push' },
  });
  expect(maskPayload(payload, ['/_query', '/_headers']).tree).toStrictEqual({ a: 1, _query: MASK, _headers: MASK });
});

test('the tree of a body masked as a whole has no body fields', () => {
  expect(maskPayload(payloadOf(BODY, 'a=1', {}), ['']).tree).toStrictEqual({ _query: { a: '1' }, _headers: {} });
});

test('masking treats the key __proto__ like any other', () => {
  const body: unknown = JSON.parse('{"__proto__":{"a":1,"b":2}}');
  expect(JSON.stringify(maskPayload(payloadOf(body, '', {}), ['/__proto__/a']).body)).toBe(
    '{"__proto__":{"a":"«•••»","b":2}}',
  );
  expect(JSON.stringify(maskPayload(payloadOf(body, '', {}), ['/__proto__']).body)).toBe('{"__proto__":"«•••»"}');
});

test('masking a masked payload changes nothing', () => {
  const once = maskPayload(payloadOf(BODY, 'a=1', {}), ['/card/number', '/_query/a']);
  expect(maskPayload(once, ['/card/number', '/card/number/x', '/_query/a'])).toStrictEqual(once);
});

test('masking reaches a value below 10,000 levels', () => {
  const levels = 10_000;
  const body: unknown = JSON.parse(`${'['.repeat(levels)}"secret"${']'.repeat(levels)}`);
  expect(containsMask(maskPayload({ body, tree: {} }, ['/0'.repeat(levels)]).body)).toBe(true);
});

test('containsMask finds a mask at any depth of a value', () => {
  const { query, headers } = redactPayload({ truncated: false, body: '', query: 'a=1', headers: { b: '2' } }, [
    '/_query',
    '/_headers',
  ]);
  const roots = Object.values(payloadTree({}, query, headers));
  expect([MASK, [1, [MASK]], { a: { b: MASK } }, ...roots].map(containsMask)).toEqual(Array(5).fill(true));
  expect([null, 1, `${MASK}!`, [], {}, [null, { a: null }]].map(containsMask)).not.toContain(true);
});

test('containsMask parses the JSON text of a value only when the text has the mask', () => {
  const written = [[MASK], { a: [{ [MASK]: 1 }] }, [`${MASK}!`], [1]].map(
    (value) => new RawJson(JSON.stringify(value)),
  );
  expect(written.map(containsMask)).toEqual([true, true, false, false]);
  expect(containsMask(new RawJson('not parsed, as that would throw'))).toBe(false);
});

test('masking replaces exactly the value at the pointer, in any payload', () => {
  const escapeStep = (step: string) => step.replaceAll('~', '~0').replaceAll('/', '~1');
  fc.assert(
    fc.property(fc.json(), fc.array(fc.nat(), { maxLength: 6 }), (text, choices) => {
      let value: unknown = JSON.parse(text);
      let pointer = '';
      for (const choice of choices) {
        const fields: [string, unknown][] = typeof value === 'object' && value !== null ? Object.entries(value) : [];
        const field = fields.at(choice % Math.max(fields.length, 1));
        if (!field) break;
        pointer += `/${escapeStep(field[0])}`;
        value = field[1];
      }
      fc.pre(!/^\/_(query|headers)/.test(pointer));
      const { body } = maskPayload({ body: JSON.parse(text), tree: {} }, [pointer]);
      expect(body).toEqual(replaceNode(JSON.parse(text), pointer.split('/').slice(1)));
    }),
  );
});

function replaceNode(node: unknown, [step, ...rest]: string[]): unknown {
  if (step === undefined) return MASK;
  const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
  if (Array.isArray(node))
    return node.map((item: unknown, at) => (String(at) === name ? replaceNode(item, rest) : item));
  const entries = Object.entries(Object(node));
  return Object.fromEntries(entries.map(([key, each]) => [key, key === name ? replaceNode(each, rest) : each]));
}
