import { isRefusedName } from '@batuta/json';
import * as fc from 'fast-check';
import { parsePointer, resolvePointer, type ResolvedPointer } from './pointer';
import { payloadOf, payloadTree } from './payload-tree';

/** The document of RFC 6901, section 5. */
const RFC_6901_EXAMPLE = JSON.parse(
  String.raw`{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}`,
);
const foundValue = (value: unknown): ResolvedPointer => ({ found: true, value });
const nothingFound: ResolvedPointer = { found: false };

test.each<[string, unknown]>([
  ['', RFC_6901_EXAMPLE],
  ['/foo', ['bar', 'baz']],
  ['/foo/0', 'bar'],
  ['/', 0],
  ['/a~1b', 1],
  ['/c%d', 2],
  ['/e^f', 3],
  ['/g|h', 4],
  ['/i\\j', 5],
  ['/k"l', 6],
  ['/ ', 7],
  ['/m~0n', 8],
])('the pointer %j finds the value that RFC 6901 gives for it', (pointer, value) => {
  expect(resolvePointer(payloadOf(RFC_6901_EXAMPLE, '', {}), pointer)).toStrictEqual(foundValue(value));
});

const BODY = JSON.parse(`{
  "order": { "id": 7, "items": [{ "sku": "a" }, { "sku": "b" }], "note": null, "~1": "tilde" },
  "_query": "of the body", "__proto__": { "a": 1 }, "constructor": "own", "01": "text"
}`);
const CALL_PAYLOAD = payloadOf(BODY, 'a=1&b=2&b=3&__proto__=x&c', { 'x-event': 'push', __proto__x: 'y' });

test.each<[string, ResolvedPointer]>([
  ['/order/id', foundValue(7)],
  ['/order/items/1/sku', foundValue('b')],
  ['/order/note', foundValue(null)],
  ['/order/~01', foundValue('tilde')],
  ['/__proto__/a', foundValue(1)],
  ['/constructor', foundValue('own')],
  ['/01', foundValue('text')],
  ['/_query/a', foundValue('1')],
  ['/_query/b', foundValue(['2', '3'])],
  ['/_query/b/1', foundValue('3')],
  ['/_query/__proto__', foundValue('x')],
  ['/_query/c', foundValue('')],
  ['/_headers/x-event', foundValue('push')],
  // Pointers that find nothing.
  ['/order/items/2', nothingFound],
  ['/order/items/-', nothingFound],
  ['/order/items/-1', nothingFound],
  ['/order/items/01', nothingFound],
  ['/order/items/1.0', nothingFound],
  ['/order/items/1e0', nothingFound],
  ['/order/items/ 1', nothingFound],
  ['/order/items/length', nothingFound],
  ['/order/items/99999999999999999999', nothingFound],
  ['/order/toString', nothingFound],
  ['/order/__proto__', nothingFound],
  ['/order/id/toFixed', nothingFound],
  ['/order/note/x', nothingFound],
  ['/_headers/toString', nothingFound],
  ['/_query/a/0', nothingFound],
  ['/missing', nothingFound],
  // Malformed pointers.
  ['order', nothingFound],
  ['/order/~2', nothingFound],
  ['/order/~', nothingFound],
])('the pointer %j finds its value in the payload of a call, or nothing', (pointer, expected) => {
  expect(resolvePointer(CALL_PAYLOAD, pointer)).toStrictEqual(expected);
});

test('the reserved roots exist for any body and take precedence over its fields', () => {
  for (const body of [[1], 'text', 5, null, { _headers: 1 }]) {
    expect(resolvePointer(payloadOf(body, 'a=1', { h: 'x' }), '/_query')).toStrictEqual(foundValue({ a: '1' }));
    expect(resolvePointer(payloadOf(body, 'a=1', { h: 'x' }), '/_headers')).toStrictEqual(foundValue({ h: 'x' }));
    expect(resolvePointer(payloadOf(body, 'a=1', { h: 'x' }), '')).toStrictEqual(foundValue(body));
  }
});

test('the items of a list body are fields of the tree, and a text body has none', () => {
  expect(resolvePointer(payloadOf([5], '', {}), '/0')).toStrictEqual(foundValue(5));
  expect(payloadTree([5], '', {})).toStrictEqual({ 0: 5, _query: {}, _headers: {} });
  expect(resolvePointer(payloadOf('text', '', {}), '/0')).toStrictEqual(nothingFound);
  expect(payloadTree('text', '', {})).toStrictEqual({ _query: {}, _headers: {} });
});

test('the tree has the fields of the body, __proto__ included, and the two roots', () => {
  expect(JSON.stringify(payloadTree(JSON.parse('{"__proto__":1,"_query":2}'), 'a=%zz+b', {}))).toBe(
    '{"__proto__":1,"_query":{"a":"%zz b"},"_headers":{}}',
  );
});

test('a query with a name that could be read as another one is refused, however it is written', () => {
  for (const query of ['a=1&caf\\=2', 'caf%5C', '%5c=&b', 'x%5Cn=1']) {
    expect(() => payloadOf({}, query, {})).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringMatching(/^query: the name ".*\\/) }),
    );
  }
  expect(payloadTree({}, 'App%5CModels=a%5C&b=%5C', {})).toMatchObject({ _query: { 'App\\Models': 'a\\', b: '\\' } });
});

test('parsePointer unescapes each step once', () => {
  expect(parsePointer('/~01/~10/a~0~1')).toEqual(['~1', '/0', 'a~/']);
  expect(parsePointer('/')).toEqual(['']);
  expect(parsePointer('')).toEqual([]);
});

test.each(['a', ' /a', '~', '/~', '/a~', '/~2', '/~~0', '#/a'])('the pointer %j is malformed', (text) => {
  expect(parsePointer(text)).toBeUndefined();
});

test('the pointer to any field of any payload finds exactly its value', () => {
  const escapeStep = (step: string) => step.replaceAll('~', '~0').replaceAll('/', '~1');
  fc.assert(
    fc.property(fc.json(), (text) => {
      const body: unknown = JSON.parse(text);
      const left: [string, unknown][] = [['', body]];
      for (let next = left.pop(); next; next = left.pop()) {
        const [pointer, value] = next;
        expect(resolvePointer({ body, tree: {} }, pointer)).toStrictEqual(foundValue(value));
        if (typeof value !== 'object' || value === null) continue;
        for (const [step, each] of Object.entries(value)) {
          if (pointer !== '' || !step.startsWith('_')) left.push([`${pointer}/${escapeStep(step)}`, each]);
        }
      }
    }),
  );
});

test('no pointer over any payload finds an inherited property', () => {
  const step = fc.oneof(
    fc.string(),
    fc.constantFrom('__proto__', 'constructor', 'length', '-', '0', 'toString', '_query'),
  );
  const pointer = fc.oneof(
    fc.string(),
    fc.array(step).map((steps) => steps.map((each) => `/${each}`).join('')),
  );
  const query = fc.string().filter((text) => ![...new URLSearchParams(text).keys()].some(isRefusedName));
  fc.assert(
    fc.property(fc.json(), pointer, query, (text, at, given) => {
      const result = resolvePointer(payloadOf(JSON.parse(text), given, {}), at);
      expect(result.found && typeof result.value).not.toBe('function');
    }),
    { numRuns: 1_000 },
  );
});

test('a pointer of 10,000 steps finds its value', () => {
  const levels = 10_000;
  const body: unknown = JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  expect(resolvePointer({ body, tree: {} }, '/0'.repeat(levels - 1))).toStrictEqual(foundValue([]));
  expect(resolvePointer({ body, tree: {} }, '/0'.repeat(levels))).toStrictEqual(nothingFound);
});
