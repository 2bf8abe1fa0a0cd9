import * as fc from 'fast-check';
import { jsonValues } from './schema-values';

export interface HookRequest {
  body: Buffer;
  headers: [name: string, value: string][];
  /** The query with its question mark; empty without a query. */
  query: string;
}

/** Calls of a webhook URL: bodies that are JSON, nearly JSON or random bytes, of various media types, with any query. */
export function arbitraryHookCalls(): fc.Arbitrary<HookRequest> {
  return fc.record({
    body: fc.oneof(
      { weight: 4, arbitrary: jsonValues().map((value) => Buffer.from(JSON.stringify(value))) },
      { weight: 4, arbitrary: arbitraryObjectTexts().map((text) => Buffer.from(text)) },
      { weight: 3, arbitrary: jsonWithFlippedByte() },
      { weight: 2, arbitrary: fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)) },
      { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_BODIES).map((body) => Buffer.from(body)) },
    ),
    headers: fc.tuple(
      fc.constantFrom(...CONTENT_TYPES).map((type): [string, string] => ['Content-Type', type]),
      fc.constantFrom(...HOSTILE_HEADERS),
    ),
    query: fc.oneof(
      fc.constantFrom('', '?a=1&a=2', '?__proto__=1&__proto__=2', '?a[b]=1', '?%00=%ff', '?&&=&', '?a=%F0%9F%92%A5'),
      fc.string({ unit: 'binary' }).map((text) => `?${encodeURIComponent(text)}`),
    ),
  });
}

const HOSTILE_KEYS = ['a', '__proto__', 'constructor', 'toString', '_query', '_headers', '', '0', 'x/y', '~0'];

/** JSON texts of objects, some with hostile or repeated keys. */
function arbitraryObjectTexts(): fc.Arbitrary<string> {
  const field = fc
    .tuple(fc.constantFrom(...HOSTILE_KEYS), jsonValues())
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return fc.array(field, { maxLength: 8 }).map((fields) => `{${fields.join()}}`);
}

/** JSON texts with one byte replaced by any byte. */
function jsonWithFlippedByte(): fc.Arbitrary<Buffer> {
  return fc.tuple(arbitraryObjectTexts(), fc.nat(), fc.nat({ max: 255 })).map(([text, at, byte]) => {
    const bytes = Buffer.from(text);
    bytes[at % bytes.length] = byte;
    return bytes;
  });
}

const deeplyNested = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels);

const HOSTILE_BODIES = [
  ['', ' ', '{', '[]', 'null', '0', '"text"', '{}{}', '\ufeff{}', '\u0000', '{"a":"\\u0000"}', '{"a":"\\ud800"}'],
  ['{"\\ud800":1}', '{"a":1e999}', '{"a":-0}', '{"a":123456789012345678901234567890}', '{"__proto__":{"x":1}}'],
  ['{"a":{"__proto__":{"x":1}}}', '{"constructor":{"prototype":{"x":1}}}', '{"a":1,"a":{"b":2},"a":[3]}', '{"a":NaN}'],
  [String.raw`{"a":1,"caf\\":2}`, String.raw`{"a":1,"caf\u00e9":2}`, String.raw`{"a":"\\":1}`],
  [
    deeplyNested(10_000, '[', ']'),
    deeplyNested(10_000, '{"a":', '}').replace(':}', ':1}'),
    `{"a":${deeplyNested(10_000, '[', ']')}}`,
  ],
  [
    deeplyNested(99, '[', ']'),
    deeplyNested(101, '[', ']'),
    `{"a":${deeplyNested(101, '{"a":', '}').replace(':}', ':{}}')}}`,
    deeplyNested(9, '{', '}'),
  ],
  [`{"a":"${'é'.repeat(200_000)}"}`, `{"a":"${'x'.repeat(1_048_570)}"}`, `{"a":[${'0,'.repeat(300_000)}0]}`],
  [`{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":${n}`).join()}}`, `[${'{},'.repeat(50_000)}{}]`],
  [Buffer.from('{"a":"\xe9"}', 'latin1'), Buffer.from('{"a":1}', 'utf16le'), Buffer.from([0xff, 0xfe, 0xfd])],
  [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), Buffer.from([0xc0, 0x80]), Buffer.from([0xed, 0xa0, 0x80])],
].flat();

const CONTENT_TYPES = [
  ...Array.from({ length: 8 }, () => 'application/json'),
  'application/json; charset=utf-8',
  'application/json; charset=ISO-8859-1',
  'application/json; charset="latin1"',
  'application/json; charset=utf-16',
  'application/json;;;charset',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '\xff\xfe',
];

const HOSTILE_HEADERS: [string, string][] = [
  ['X-Any', 'x'],
  ['X-Any', '\xe9\xff'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
  ['Idempotency-Key', ''],
  ['Idempotency-Key', 'a\tb'],
  ['Idempotency-Key', 'x'.repeat(300)],
  ['Content-Encoding', 'gzip'],
  ['Expect', '100-continue'],
  ['X-Hub-Signature-256', 'sha256=00'],
  ['Stripe-Signature', `t=${'9'.repeat(400)},v1=`],
  ['webhook-signature', `v1,${'A'.repeat(43)}= v1a, v1,`],
];
