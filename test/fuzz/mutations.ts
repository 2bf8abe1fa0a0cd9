import * as fc from 'fast-check';
import type { RequestParts } from './requests';

/** Replaces one or two parts of a request, mostly by something that the document forbids or that no client sends. */
export interface Mutation {
  name: string;
  apply(parts: RequestParts): RequestParts;
}

const JSON_CONTENT_TYPE: [string, string] = ['Content-Type', 'application/json'];
const LONG_TEXT = 'x'.repeat(6_000);

/** Texts for one segment of a path; they are sent as they are, some of them deliberately not encoded. */
const HOSTILE_TEXTS = [
  ['%00', '%', '%zz', '%ff', '%c0%af', '%E0%A4%A', '%ed%a0%80', '%u0000', '..', '%2e%2e%2f', '%2f', '%5c', '//'],
  ['__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', '-1', '1e9', '0x10', "'", "1'%20OR%20'1'='1"],
  [
    '%F0%9F%92%A5',
    '\xe9',
    '\xff',
    '%0d%0aX-Injected:%201',
    ';',
    '.',
    '*',
    '$%7Bjndi%7D',
    LONG_TEXT,
    '%41'.repeat(2_000),
  ],
].flat();

const HOSTILE_QUERIES = [
  ['limit=1&limit=2', 'from=2026-01-01&from=2026-01-02', 'limit[]=1', 'limit[a]=1', 'limit%5B%5D=1', '__proto__=1'],
  ['__proto__[x]=1', 'constructor[prototype][x]=1', 'limit', 'limit=', '=', '&&&', '?', 'limit=%00', 'from=%ff'],
  ['from=2026-02-30', 'from=0000-00-00', 'to=99999-01-01', 'limit=1.5', 'limit=%31', 'limit=9007199254740993'],
  ['after=-1', 'dryRun=yes', 'dryRun=true&dryRun=false', `limit=${'9'.repeat(4_000)}`, `x=${LONG_TEXT}`],
  Array.from({ length: 1_500 }, (_, index) => `k${index}`).join('&'),
].flat();

const HOSTILE_HEADERS: [string, string][] = [
  ['Content-Type', 'text/plain'],
  ['Content-Type', 'application/xml'],
  ['Content-Type', 'multipart/form-data; boundary=x'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Content-Type', 'application/json; charset=iso-8859-1'],
  ['Content-Type', 'application/json; charset=utf-16'],
  ['Content-Type', 'application/json;;;charset'],
  ['Content-Type', '\xff\xfe'],
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'br, gzip'],
  ['Accept', 'image/png'],
  ['Accept-Encoding', 'nothing;q=x'],
  ['X-Request-Id', LONG_TEXT],
  ['X-Request-Id', 'caf\xe9\x01'],
  ['X-Forwarded-For', "'; DROP TABLE account; --"],
  ['X-Http-Method-Override', 'DELETE'],
  ['Expect', '100-continue'],
  ['Range', 'bytes=0-1'],
  ['If-None-Match', '*'],
  ['Upgrade', 'websocket'],
  ['Cookie', LONG_TEXT],
  ['Idempotency-Key', ''],
  ['Idempotency-Key', 'a\tb'],
  ['Idempotency-Key', 'x'.repeat(256)],
  ['Idempotency-Key', '\xe9'],
  ['Last-Event-ID', '-1'],
  ['Last-Event-ID', '99999999999999999999'],
  ['X-Process-Key', ''],
  ['X-Process-Key', '\xff'],
  ['X-Process-Key', LONG_TEXT],
  ['Authorization', 'Basic dTpw'],
  ['Authorization', 'Bearer'],
  ['Authorization', 'Bearer bat_live_.'],
  ['Authorization', `Bearer bat_live_${LONG_TEXT}.x`],
  ['Authorization', 'Bearer bat_live_%00.%00'],
  ['Authorization', '\xff\xfe'],
  ['X-Large', 'x'.repeat(20_000)],
  ['__proto__', 'x'],
];

const deeplyNested = (levels: number, open = '[', close = ']') => open.repeat(levels) + close.repeat(levels);

const HOSTILE_BODIES = [
  ['', '{', '{"matrix":', 'null', '[]', '0', '"text"', 'undefined', '{}{}', '\ufeff{}', '\u0000', "{'a':1}"],
  ['{"matrix":null}', '{"matrix":[]}', '{"matrix":"x"}', '{"environmentID":null}', '{"environmentID":{}}'],
  ['{"__proto__":{"matrix":{}}}', '{"matrix":{"__proto__":{"x":1}}}', '{"constructor":{"prototype":{"x":1}}}'],
  ['{"matrix":{"__proto__":1}}', '{"matrix":{"toString":1,"hasOwnProperty":2}}', '{"matrix":{"":1}}'],
  ['{"matrix":{"texto":"\\u0000"}}', '{"matrix":{"texto":"\\ud800"}}', '{"matrix":{"\\ud800":"x"}}'],
  ['{"matrix":{"numero":1e999}}', '{"matrix":{"numero":-0}}', '{"matrix":{"moeda":123456789012345678901234567890}}'],
  ['{"matrix":{"lista":{"__proto__":[]}}}', '{"matrix":{"a":1},"matrix":{"b":2}}', '{"active":"true"}'],
  ['{"processID":"x","name":"n","cronExpression":"* * * * *"}', '{"cronExpression":"99 99 * * *","name":""}'],
  deeplyNested(50_000),
  `{"matrix":{"objeto":${deeplyNested(99)}}}`,
  `{"matrix":{"objeto":${deeplyNested(100)}}}`,
  `{"matrix":{"objeto":${deeplyNested(20_000)}}}`,
  `{"matrix":{"lista":${deeplyNested(5_000, '[{"a":', '}]')}}}`,
  `{"matrix":{"texto":"${'é'.repeat(200_000)}"}}`,
  `{"matrix":{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":1`).join()}}}`,
  `{"matrix":{"texto":"${'x'.repeat(1_100_000)}"}}`,
  Buffer.from('{"matrix":{"texto":"\xe9"}}', 'latin1'),
  Buffer.from('{}', 'utf16le'),
  Buffer.from([0xff, 0xfe, 0xfd]),
  Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
].flat();

/** Any mutation. Some leave a request valid, so that the service may accept it. */
export function arbitraryMutations(): fc.Arbitrary<Mutation> {
  return fc.oneof(
    { weight: 3, arbitrary: pathMutations() },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(...HOSTILE_QUERIES)
        .map((query) => ({ name: `query ${excerptOf(query)}`, apply: (parts: RequestParts) => ({ ...parts, query }) })),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...HOSTILE_HEADERS).map(([name, value]) => ({
        name: `header ${name}: ${excerptOf(value)}`,
        apply: (parts: RequestParts) => withHeader(parts, [name, value]),
      })),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...HOSTILE_BODIES).map((body) => ({
        name: `body ${excerptOf(String(body))}`,
        apply: (parts: RequestParts) => ({ ...withHeader(parts, JSON_CONTENT_TYPE), body: Buffer.from(body) }),
      })),
    },
    { weight: 2, arbitrary: fc.constantFrom(...REQUEST_MUTATIONS) },
  );
}

function pathMutations(): fc.Arbitrary<Mutation> {
  const texts = fc.oneof(
    fc.constantFrom(...HOSTILE_TEXTS),
    fc.uuid(),
    fc.string({ unit: 'binary' }).map((text) => encodeURIComponent(text)),
  );
  return fc.tuple(texts, fc.nat({ max: 3 })).map(([text, from]) => ({
    name: `path ${excerptOf(text)}`,
    apply: (parts) => {
      const segments = parts.path.split('/');
      // The segment has the index 3 to 6: after `/v1/<noun>` or `/manage/v1`. Of a shorter path it is the last one.
      const place = Math.min(3 + from, segments.length - 1);
      return { ...parts, path: segments.map((segment, index) => (index === place ? text : segment)).join('/') };
    },
  }));
}

const REQUEST_MUTATIONS: Mutation[] = [
  { name: 'trailing slash', apply: (parts) => ({ ...parts, path: `${parts.path}/` }) },
  { name: 'upper case', apply: (parts) => ({ ...parts, path: parts.path.toUpperCase() }) },
  { name: 'twice the slashes', apply: (parts) => ({ ...parts, path: parts.path.replaceAll('/', '//') }) },
  { name: 'an absolute target', apply: (parts) => ({ ...parts, path: `http://other.example${parts.path}` }) },
  ...['PUT', 'TRACE', 'OPTIONS', 'PROPFIND', 'PATCH', 'DELETE'].map((method) => ({
    name: `method ${method}`,
    apply: (parts: RequestParts) => ({ ...parts, method }),
  })),
  {
    name: 'invalid chunks',
    apply: (parts) => ({
      ...withHeader(parts, ['Transfer-Encoding', 'chunked']),
      body: Buffer.from('zz\r\nx\r\n0\r\n\r\n'),
    }),
  },
  {
    name: 'one valid chunk',
    apply: (parts) => ({
      ...withHeader(parts, ['Transfer-Encoding', 'chunked']),
      body: Buffer.from('2\r\n{}\r\n0\r\n\r\n'),
    }),
  },
  {
    name: 'two lengths',
    apply: (parts) => ({ ...parts, headers: [...parts.headers, ['Content-Length', '2'], ['Content-Length', '3']] }),
  },
  {
    name: 'two credentials',
    apply: (parts) => ({ ...parts, headers: [...parts.headers, ['Authorization', 'Bearer x']] }),
  },
  { name: 'two process keys', apply: (parts) => ({ ...parts, headers: [...parts.headers, ['X-Process-Key', 'x']] }) },
  {
    name: 'a thousand headers',
    apply: (parts) => ({
      ...parts,
      headers: [...parts.headers, ...Array.from({ length: 1_000 }, (_, n): [string, string] => [`X${n}`, ''])],
    }),
  },
  { name: 'no headers', apply: (parts) => ({ ...parts, headers: [] }) },
  { name: 'an invalid header name', apply: (parts) => withHeader(parts, ['X Y', 'z']) },
];

function withHeader({ headers, ...parts }: RequestParts, header: [string, string]): RequestParts {
  const others = headers.filter(([name]) => name.toLowerCase() !== header[0].toLowerCase());
  return { ...parts, headers: [...others, header] };
}

function excerptOf(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 50)}… (${text.length})` : text);
}
