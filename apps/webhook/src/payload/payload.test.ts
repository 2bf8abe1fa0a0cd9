import { ApiError } from '@batuta/errors';
import { refusedName } from '@batuta/json';
import * as fc from 'fast-check';
import { readPayload } from './payload';

const utf8 = (text: string) => Buffer.from(text, 'utf8');
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

function refusalOf(body: Buffer, contentType?: string): ApiError {
  try {
    readPayload({ body, contentType });
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('The payload was accepted');
}

function outcomeOf(body: Buffer, contentType?: string): string {
  try {
    readPayload({ body, contentType });
    return 'read';
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
}

test.each<[string, Buffer, string | undefined, unknown]>([
  ['UTF-8 without any header', utf8('{"a":"ção 😀"}'), undefined, { a: 'ção 😀' }],
  ['UTF-8 where no charset is declared', utf8('{"a":"ção"}'), 'application/json', { a: 'ção' }],
  ['declared UTF-8', utf8('"é"'), 'application/json; charset=UTF-8', 'é'],
  ['declared UTF-8 in quotes', utf8('"é"'), 'application/json;charset="utf8"', 'é'],
  ['ISO-8859-1', latin1('{"a":"ção"}'), 'application/json; charset=ISO-8859-1', { a: 'ção' }],
  ['ISO-8859-1 by another of its names', latin1('"ó"'), 'text/plain; a=b ; charset = "latin1"', 'ó'],
  ['UTF-8 declared as ISO-8859-1', utf8('{"a":"ção"}'), 'application/json; charset=iso-8859-1', { a: 'ção' }],
  ['a charset left empty', utf8('[]'), 'application/json; charset=', []],
  ['any media type', utf8('[1]'), 'application/x-www-form-urlencoded', [1]],
  ['no media type at all', utf8('true'), ';;; =', true],
  ['a byte order mark', Buffer.concat([BYTE_ORDER_MARK, utf8('{"a":1}')]), undefined, { a: 1 }],
  [
    'a byte order mark before ISO-8859-1',
    Buffer.concat([BYTE_ORDER_MARK, latin1('"é"')]),
    'x/y; charset=iso-8859-1',
    'é',
  ],
  ['an empty body', Buffer.alloc(0), undefined, {}],
  ['only a byte order mark', BYTE_ORDER_MARK, 'application/json', {}],
  ['surrounding white space', utf8(' \r\n\t{"a":1}\n'), undefined, { a: 1 }],
  ['an escaped NUL and an unpaired surrogate', utf8(String.raw`"\u0000\ud800"`), undefined, '\u0000\ud800'],
  ['the last of duplicate keys', utf8('{"a":1,"a":2}'), undefined, { a: 2 }],
])('readPayload accepts %s', (_, body, contentType, expected) => {
  expect(readPayload({ body, contentType })).toStrictEqual(expected);
});

test.each(['utf-16', 'UTF-16LE', 'windows-1252', 'us-ascii', 'iso-8859-15', 'x'])(
  'readPayload refuses the charset %s, also of an empty body',
  (charset) => {
    const contentType = `application/json; charset=${charset}`;
    expect(refusalOf(utf8('{}'), contentType).code).toBe('UNSUPPORTED_CHARSET');
    expect(refusalOf(Buffer.alloc(0), contentType).code).toBe('UNSUPPORTED_CHARSET');
  },
);

test.each<[string, Buffer]>([
  ['bytes that are not UTF-8', latin1('{"a":"ção"}')],
  ['an incomplete character', utf8('"😀"').subarray(0, 3)],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
  ['a bare NUL', utf8('{"a":"\u0000"}')],
  ['white space only', utf8('  ')],
  ['text', utf8('segredo=1')],
  ['an incomplete list', utf8('[1,')],
  ['two values', utf8('{} {}')],
  ['10,000 unclosed lists', utf8('['.repeat(10_000))],
])('readPayload refuses %s without quoting the body', (_, body) => {
  expect(refusalOf(body)).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringMatching(/^body: is not valid/) });
});

test.each(['application/x-www-form-urlencoded', 'Multipart/Form-Data; boundary=x'])(
  'readPayload says of a body of the media type %s that it is a form, unless it begins like JSON',
  (contentType) => {
    const message = 'body: is not valid JSON but a form; let the sender use application/json';
    expect(refusalOf(utf8('payload=%7B%7D'), contentType)).toMatchObject({ code: 'BAD_REQUEST', message });
    expect(refusalOf(utf8('{"a":'), contentType).message).toBe('body: is not valid JSON');
    expect(readPayload({ body: utf8('{"a":1}'), contentType })).toEqual({ a: 1 });
  },
);

test('readPayload names the field whose name could be read as another one, and quotes no value', () => {
  expect(refusalOf(utf8(String.raw`{"token":"s3cret","caf\\":1}`))).toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringMatching(/^body: the name "caf\\\\" (?!.*s3cret)/),
  });
});

test('readPayload treats the key __proto__ like any other', () => {
  const read = readPayload({ body: utf8('{"__proto__":{"admin":true},"constructor":1}') });
  expect(JSON.stringify(read)).toBe('{"__proto__":{"admin":true},"constructor":1}');
  expect(read).not.toHaveProperty('admin');
});

test('readPayload accepts 500,000 levels', () => {
  const levels = 500_000;
  expect(Array.isArray(readPayload({ body: utf8('['.repeat(levels) + ']'.repeat(levels)) }))).toBe(true);
});

test('readPayload accepts or refuses any bytes under any content type, without another error', () => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.json().map(utf8), fc.json().map(latin1));
  const types = fc.oneof(
    fc.constant(undefined),
    fc.string(),
    fc.string().map((charset) => `application/json; charset=${charset}`),
  );
  fc.assert(
    fc.property(bytes, types, (body, contentType) => {
      expect(outcomeOf(Buffer.from(body), contentType)).toMatch(/^(read|BAD_REQUEST|UNSUPPORTED_CHARSET)$/);
    }),
    { numRuns: 2_000 },
  );
});

test('readPayload reads any JSON as JSON.parse does', () => {
  const text = fc.json().filter((json) => refusedName(json) === undefined);
  fc.assert(fc.property(text, (json) => expect(readPayload({ body: utf8(json) })).toEqual(JSON.parse(json))));
});
