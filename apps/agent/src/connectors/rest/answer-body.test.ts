import { readAnswerBody } from './answer-body';

const PDF_BYTES = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0xfe]);
const readAnswer = (
  headers: Record<string, string>,
  { bytes = PDF_BYTES, url = 'https://x.example/a/order%207.pdf?b=c/d', download = false } = {},
) => readAnswerBody(bytes, new Headers(headers), url, download);

test.each([
  'application/pdf',
  'application/octet-stream',
  'image/png',
  'application/vnd.ms-excel',
  'font/woff2',
  'a/b',
])('an answer of the type %s is a file without a body', (type) => {
  expect(readAnswer({ 'content-type': type })).toEqual({
    body: null,
    file: { name: 'order 7.pdf', contentType: type, bytes: PDF_BYTES },
  });
});

test.each([
  '',
  'text/plain',
  'TEXT/csv; charset=x',
  'application/json',
  'application/problem+json',
  'image/svg+xml;v=1',
  'application/xml',
])('an answer of the type "%s" is text and no file', (type) => {
  const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
  expect(readAnswer(headers, { bytes: Buffer.from('"a"') })).toEqual({ body: type.includes('json') ? 'a' : '"a"' });
});

test('an answer of another type with UTF-8 bytes is a file, and its text is the body', () => {
  const bytes = Buffer.from('São');
  expect(readAnswer({ 'content-type': 'application/octet-stream' }, { bytes })).toMatchObject({
    body: 'São',
    file: { bytes },
  });
});

test.each<[string, BufferEncoding]>([
  ['ISO-8859-1', 'latin1'],
  ['ISO-8859-1', 'utf8'],
  ['UTF-8', 'utf8'],
])('an XML answer that declares %s is read in its %s bytes', (declared, encoding) => {
  const text = `<?xml version="1.0" encoding="${declared}"?><city>São</city>`;
  expect(readAnswer({ 'content-type': 'text/xml' }, { bytes: Buffer.from(text, encoding) })).toEqual({ body: text });
});

test.each(['text/csv', 'text/xml', ''])(
  'an answer of the type "%s" without a charset whose bytes are not valid UTF-8 is read as windows-1252',
  (type) => {
    const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
    const bytes = Buffer.from([...Buffer.from('São Luís: ', 'latin1'), 0x80]);
    expect(readAnswer(headers, { bytes })).toEqual({ body: 'São Luís: €' });
  },
);

test('JSON without a charset is read as UTF-8, also with a byte that is not valid', () => {
  const bytes = Buffer.concat([Buffer.from('{"city":"São '), Buffer.from([0xe3]), Buffer.from('"}')]);
  expect(readAnswer({ 'content-type': 'application/json' }, { bytes })).toEqual({ body: { city: 'São \ufffd' } });
});

test('JSON of too many levels is text, because no step could write it again', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const bodyOf = (text: string) =>
    readAnswer({ 'content-type': 'application/json' }, { bytes: Buffer.from(text) }).body;
  expect(bodyOf(nested(1_001))).toBe(nested(1_001));
  expect(JSON.stringify(bodyOf(nested(1_000)))).toBe(nested(1_000));
});

test('JSON with a number that no double holds is text, because a later step would send null for it', () => {
  const bodyOf = (text: string) =>
    readAnswer({ 'content-type': 'application/json' }, { bytes: Buffer.from(text) }).body;
  expect(bodyOf('{"rows":[{"total":1e400}]}')).toBe('{"rows":[{"total":1e400}]}');
  expect(bodyOf('-1e400')).toBe('-1e400');
  expect(bodyOf('{"total":1e-400}')).toBe('{"total":1e-400}');
  expect(bodyOf('{"total":1e300}')).toEqual({ total: 1e300 });
});

test('JSON with a name that V8 would read as another name is text', () => {
  const text = String.raw`{"caf\\":1}`;
  expect(readAnswer({ 'content-type': 'application/json' }, { bytes: Buffer.from(text) })).toEqual({ body: text });
});

test('an empty answer is a file if the step downloads, and none otherwise', () => {
  const bytes = Buffer.from('');
  expect(readAnswer({ 'content-type': 'text/csv' }, { bytes, download: true })).toMatchObject({
    body: null,
    file: { bytes },
  });
  expect(readAnswer({ 'content-type': 'image/png' }, { bytes })).toEqual({ body: null });
});

test.each([
  ['attachment; filename="nota fiscal.pdf"', 'nota fiscal.pdf'],
  ['attachment; filename=nota.pdf; size=3', 'nota.pdf'],
  [`attachment; filename="x.pdf"; filename*=UTF-8''nota%20S%C3%A3o.pdf`, 'nota São.pdf'],
  [`attachment; filename="${Buffer.from('São.pdf').toString('latin1')}"`, 'São.pdf'],
  ['attachment; filename="../../etc/passwd"', 'passwd'],
  [String.raw`attachment; filename="C:\\temp\\a\"b.pdf"`, 'a_b.pdf'],
  [`attachment; filename*=UTF-8''a%0D%0Ab%00.pdf`, 'a__b_.pdf'],
  [`attachment; filename*=UTF-8''%zz.pdf`, '%zz.pdf'],
  ['attachment; filename=".."', 'file'],
  ['attachment', 'order 7.pdf'],
])('the answer with %s gives the file the name %s', (disposition, name) => {
  expect(readAnswer({ 'content-type': 'a/b', 'content-disposition': disposition }).file?.name).toBe(name);
});

test('an address without a last part gives the name "file"', () => {
  expect(readAnswer({ 'content-type': 'a/b' }, { url: 'https://x.example/' }).file?.name).toBe('file');
});
