import { parseJson, requireUtf8 } from './json';

test.each([
  undefined,
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'text/plain; format=flowed; CHARSET=utf8',
  'application/json;;;charset',
  'application/json; charset = utf-8',
  'application/json; charset=',
])('Content-Type %j is accepted as UTF-8', (type) => {
  expect(() => requireUtf8({ 'content-type': type })).not.toThrow();
});

test.each(['iso-8859-1', 'utf-16', '"utf-16"', 'us-ascii', 'utf-8x'])(
  'a body in the charset %s is refused',
  (charset) => {
    for (const parameter of [`charset=${charset}`, `charset = ${charset}`]) {
      const headers = { 'content-type': `application/json; ${parameter}` };
      expect(() => requireUtf8(headers)).toThrow(
        expect.objectContaining({ code: 'UNSUPPORTED_CHARSET', message: expect.stringMatching(/^Content-Type:/) }),
      );
    }
  },
);

test.each([
  ['an object', '{"name":"José"}', { name: 'José' }],
  ['a list', '[1,2]', [1, 2]],
  ['a bare value', ' 7 ', 7],
  ['what follows a BOM', '\ufeff{}', {}],
])('parseJson parses %s', (_, text, value) => {
  expect(parseJson(Buffer.from(text))).toEqual(value);
});

test.each([
  ['nothing', ''],
  ['half of an object', '{"token":"s3cret"'],
  ['bytes that are no UTF-8', Buffer.from('{"token":"s3cret é"}', 'latin1')],
  ['UTF-16', Buffer.from('{"token":"s3cret"}', 'utf16le')],
  ['a name that could be read as another one', String.raw`{"token":"s3cret","caf\\":1}`],
])('parseJson refuses %s without quoting it', (_, bytes) => {
  expect(() => parseJson(Buffer.from(bytes))).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringMatching(/^body: (?!.*s3cret)/) }),
  );
});
