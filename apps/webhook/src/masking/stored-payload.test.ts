import * as fc from 'fast-check';
import { MASK } from './masking';
import { truncateText, MAX_CAPTURED_BYTES, redactPayload, type StoredPayload } from './stored-payload';

const storePayload = (body: unknown, given: Partial<StoredPayload> = {}): StoredPayload => ({
  truncated: false,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  query: '',
  headers: {},
  ...given,
});

test('a payload without pointers to redact keeps every byte', () => {
  const payload = storePayload(' { "a" : 1, "a" : 2 } ', { query: 'a=%zz&&b' });
  expect(redactPayload(payload, [])).toBe(payload);
});

test.each<[string, StoredPayload, string[], Partial<StoredPayload>]>([
  ['a field', storePayload({ a: { b: 's' }, c: 1 }), ['/a/b'], { body: `{"a":{"b":"${MASK}"},"c":1}` }],
  ['the body', storePayload('"s"'), [''], { body: `"${MASK}"` }],
  ['an earlier value of a duplicate key', storePayload('{"a":"s","a":1}'), ['/a/x'], { body: '{"a":1}' }],
  ['a number that would become null', storePayload('{"a":"s","b":1e400}'), ['/a'], { body: `"${MASK}"` }],
  ['a truncated body', storePayload('{"a":"s', { truncated: true }), ['/a'], { body: '' }],
  ['an empty body', storePayload(''), ['', '/a'], { body: '' }],
  [
    'a field of the query',
    storePayload({}, { query: 'a=s&b=%C3%A7' }),
    ['/_query/a'],
    { query: `a=${encodeURIComponent(MASK)}&b=%C3%A7` },
  ],
  [
    'all repetitions of a query field',
    storePayload({}, { query: 'a=1&a=s' }),
    ['/_query/a'],
    { query: `a=${encodeURIComponent(MASK)}` },
  ],
  ['the query', storePayload({}, { query: 's=s' }), ['/_query'], { query: `${encodeURIComponent(MASK)}=` }],
  ['a header', storePayload({}, { headers: { a: 's', b: 'x' } }), ['/_headers/a'], { headers: { a: MASK, b: 'x' } }],
  ['the headers', storePayload({}, { headers: { s: 's' } }), ['/_headers'], { headers: { [MASK]: '' } }],
])('a redacted payload does not contain %s', (_, payload, pointers, expected) => {
  expect(redactPayload(payload, pointers)).toEqual({ ...payload, ...expected });
});

test('redacting a redacted payload changes nothing', () => {
  const payload = storePayload({ a: 's', b: [1] }, { query: 'a=s&b=%20', headers: { a: 's' } });
  for (const pointers of [
    ['/a', '/_query/a', '/_headers/a'],
    ['', '/_query', '/_headers'],
  ]) {
    const once = redactPayload(payload, pointers);
    expect(redactPayload(once, pointers)).toEqual(once);
  }
});

const SECRET = 'Sécret🔑';

test('a redacted payload never contains the secret, wherever the payload had it', () => {
  const escapeStep = (step: string) => step.replaceAll('~', '~0').replaceAll('/', '~1');
  const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '~1', 'a/b', ''));
  const path = fc.array(fc.oneof(key, fc.nat(3)), { maxLength: 150 });
  fc.assert(
    fc.property(path, fc.constantFrom(SECRET, { deep: [SECRET] }), fc.jsonValue(), (steps, secret, beside) => {
      const body = steps.reduceRight<unknown>((inner, step) => nestedAround(step, inner, beside), secret);
      fc.pre(!['_query', '_headers'].includes(String(steps[0])));
      const pointer = steps.map((step) => `/${escapeStep(String(step))}`).join('');
      expect(JSON.stringify(redactPayload(storePayload(JSON.stringify(body)), [pointer]))).not.toContain(SECRET);
    }),
  );
});

/** A list with `inner` at the index `step`, or an object with `inner` as the field `step`. */
function nestedAround(step: string | number, inner: unknown, beside: unknown): unknown {
  if (typeof step === 'number') return Array.from({ length: step + 1 }, (_, at) => (at === step ? inner : beside));
  return Object.fromEntries([
    [`${step}.`, beside],
    [step, inner],
  ]);
}

test('a truncated text has as many complete characters as fit', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8 }), fc.constantFrom('ç', '€', '😀'), (before, character) => {
      const text = 'x'.repeat(before) + character.repeat(MAX_CAPTURED_BYTES);
      const beginning = truncateText(text);
      const bytes = Buffer.byteLength(beginning);
      expect(text.startsWith(beginning)).toBe(true);
      expect(bytes).toBeLessThanOrEqual(MAX_CAPTURED_BYTES);
      expect(bytes).toBeGreaterThan(MAX_CAPTURED_BYTES - Buffer.byteLength(character));
    }),
    { numRuns: 20 },
  );
});
