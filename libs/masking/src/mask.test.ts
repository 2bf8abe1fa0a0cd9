import { MASK_TEXT, Mask } from './mask';

const maskHiding = (value: unknown, type?: Parameters<Mask['hide']>[1]): Mask => {
  const mask = new Mask();
  mask.hide(value, type);
  return mask;
};

const SECRET = 'pá$$ "wörd"/+ 1\n2';
const urlWithSecret = (): URL => {
  const url = new URL('http://host/');
  url.search = `t=${SECRET}`;
  url.pathname = `/orders/${SECRET}`;
  url.username = SECRET;
  return url;
};

test.each<[string, string]>([
  ['as it is', SECRET],
  ['in JSON', JSON.stringify({ token: SECRET })],
  ['URL-encoded', encodeURIComponent(SECRET)],
  ['as a form field', new URLSearchParams({ t: SECRET }).toString()],
  ['in the query of an address', urlWithSecret().search],
  ['in the path of an address', urlWithSecret().pathname],
  ['as the user of an address', urlWithSecret().username],
  ['in an address in JSON', JSON.stringify({ url: new URL(`http://host/?t=${SECRET}`).search })],
  ['in JSON within JSON', JSON.stringify([JSON.stringify(SECRET)])],
  ['in JSON of ASCII', '{"token": "p\\u00e1$$ \\"w\\u00f6rd\\"/+ 1\\n2"}'],
  ['in JSON with escaped slashes', '{"token":"p\\u00e1$$ \\"w\\u00f6rd\\"\\/+ 1\\n2"}'],
  ['in HTML', '<b>pá$$ &quot;wörd&quot;/+ 1\n2</b>'],
  ['in base64', Buffer.from(SECRET).toString('base64')],
  ['in base64url', Buffer.from(SECRET).toString('base64url')],
  ['in base64 behind one character', Buffer.from(`u${SECRET}`).toString('base64')],
  ['in base64 behind a user name', Buffer.from(`joao:${SECRET}:x`).toString('base64')],
  ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
])('a sensitive text is hidden %s', (_how, text) => {
  const redacted = maskHiding(SECRET).redact(`before ${text} after`);
  expect(redacted).toContain(MASK_TEXT);
  for (const trace of ['wörd', 'w%C3%B6rd', 'w\\u00f6rd', Buffer.from('wörd').toString('hex')]) {
    expect(redacted).not.toContain(trace);
  }
  expect(redacted.length).toBeLessThan('before  after'.length + 24);
});

const MARKUP = `Zé<b>&'"+/=\`ñ`;

test.each<[string, string]>([
  ['in JSON of Go', 'Zé\\u003cb\\u003e\\u0026\'\\"+/=`ñ'],
  ['in JSON of Gson', 'Zé\\u003cb\\u003e\\u0026\\u0027\\"+/\\u003d`ñ'],
  ['in JSON of .NET', 'Z\\u00E9\\u003Cb\\u003E\\u0026\\u0027\\u0022\\u002B/=\\u0060\\u00F1'],
  ['in JSON of PHP', 'Z\\u00e9<b>&\'\\"+\\/=`\\u00f1'],
  ['in JSON of PHP for HTML', 'Z\\u00e9\\u003Cb\\u003E\\u0026\\u0027\\u0022+\\/=`\\u00f1'],
  ['in JSON with upper-case escapes', 'Z\\u00E9<b>&\'\\"+/=`\\u00F1'],
  ['in HTML of Go', 'Zé&lt;b&gt;&amp;&#39;&#34;+/=`ñ'],
  ['in HTML of PHP', 'Zé&lt;b&gt;&amp;&#039;&quot;+/=`ñ'],
  ['in HTML of Python', 'Zé&lt;b&gt;&amp;&#x27;&quot;+/=`ñ'],
  ['in XML', 'Zé&lt;b&gt;&amp;&apos;&quot;+/=`ñ'],
  ['in HTML of Handlebars', 'Zé&lt;b&gt;&amp;&#x27;&quot;+/&#x3D;&#x60;ñ'],
  ['in HTML of Mustache', 'Zé&lt;b&gt;&amp;&#39;&quot;+&#x2F;&#x3D;&#x60;ñ'],
  ['in HTML of .NET', 'Z&#xE9;&lt;b&gt;&amp;&#x27;&quot;&#x2B;/=&#x60;&#xF1;'],
  ['in HTML with decimal numbers', 'Z&#233;&#60;b&#62;&#38;&#39;&#34;+/=`&#241;'],
  ['in HTML with hexadecimal numbers', 'Z&#xe9;&#x3c;b&#x3e;&#x26;&#x27;&#x22;+/=`&#xf1;'],
  ['in a URL within a URL', encodeURIComponent(encodeURIComponent(MARKUP))],
  [
    'in a URL within a URL in lower case',
    encodeURIComponent(encodeURIComponent(MARKUP)).replaceAll(/%25../g, (code) => code.toLowerCase()),
  ],
  ['in upper-case hexadecimal', Buffer.from(MARKUP).toString('hex').toUpperCase()],
  ['decomposed', MARKUP.normalize('NFD')],
  ['decomposed in a URL', encodeURIComponent(MARKUP.normalize('NFD'))],
  [
    'decomposed in JSON of ASCII',
    JSON.stringify(MARKUP.normalize('NFD')).replaceAll('\u0301', '\\u0301').replaceAll('\u0303', '\\u0303'),
  ],
])('a sensitive text with markup and accents is hidden %s', (_how, text) => {
  expect(maskHiding(MARKUP).redact(`[${text}]`)).toMatch(/^\["?•••"?\]$/);
});

test('a secret in decomposed Unicode is also hidden in composed Unicode', () => {
  expect(maskHiding('senhação'.normalize('NFD')).redact('a senhação.')).toBe(`a ${MASK_TEXT}.`);
});

test('rare forms beyond their share are left out, so that an execution with many secrets keeps running', () => {
  const mask = new Mask(undefined, 100_000);
  const secrets = Array.from({ length: 60 }, (_, n) => `abc<é>${n}.`);
  for (const secret of secrets) mask.hide(secret);
  expect(mask.redact(secrets.join(' '))).toBe(Array(60).fill(MASK_TEXT).join(' '));
  expect(mask.redact(String.raw`abc\u003cé\u003e0.`)).toBe(MASK_TEXT);
});

test.each<[unknown, Parameters<Mask['hide']>[1], string]>([
  [4500.5, 'Moeda', 'pays 4.500,50 or 4500.50 or 4500.5'],
  [123456, 'Número', 'pays 123456'],
  ['one', undefined, 'one'],
  [{ card: { number: '4111-1111' }, pin: 9876 }, 'Objeto', 'card 4111-1111 with 9876'],
  [['alpha', 'beta'], 'Lista', 'alpha and beta'],
])('the value %j of type %s is hidden in every format', (value, type, text) => {
  const redacted = maskHiding(value, type).redact(text);
  expect(redacted).not.toMatch(/4\.500|4500|123456|one|4111|9876|alpha|beta/);
});

test.each([true, null, undefined, '', ' '])('the value %j leaves other text readable', (value) => {
  expect(maskHiding(value).redact('a table about true things, null')).toBe('a table about true things, null');
});

test('a value that contains another is hidden completely', () => {
  const mask = maskHiding('secret');
  mask.hide('secret-longer');
  expect(mask.redact('secret-longer secret')).toBe(`${MASK_TEXT} ${MASK_TEXT}`);
});

test('values that overlap are hidden together', () => {
  const mask = maskHiding('abcdef');
  mask.hide('defghi');
  expect(mask.redact('x abcdefghi y abcdef')).toBe(`x ${MASK_TEXT} y ${MASK_TEXT}`);
});

test('a sensitive number is hidden as a number, not within longer ones', () => {
  const mask = maskHiding([900, 'abc900']);
  expect(mask.redact('900 of 9000, 19003, id=900.')).toBe(`${MASK_TEXT} of 9000, 19003, id=${MASK_TEXT}.`);
});

test('a sensitive text of digits is hidden everywhere', () => {
  for (const both of [
    [900, '900'],
    ['900', 900],
  ])
    expect(maskHiding(both).redact('19003')).toBe(`1${MASK_TEXT}3`);
});

test('thousands of sensitive values are hidden in one pass', () => {
  const mask = maskHiding(Array.from({ length: 5_000 }, (_, n) => `customer-${n}@example.org`));
  expect(mask.redact('to customer-4999@example.org')).toBe(`to ${MASK_TEXT}`);
});

test('more sensitive text than the bounds allow is refused, also a second time', () => {
  const mask = new Mask(undefined, 1_000_000);
  const hideAll = () => {
    for (const n of [0, 1, 2, 3, 4, 5, 6]) mask.hide('0123456789'.repeat(8_000) + n);
  };
  expect(hideAll).toThrow('more sensitive text than can be kept out');
  const refused = new RangeError('bound');
  const bounded = new Mask(() => refused);
  expect(() => bounded.hide(Array.from({ length: 100_001 }, (_, n) => n))).toThrow(refused);
});

test('a cut text never ends with the beginning of a sensitive value', () => {
  const mask = maskHiding('hunter2-secret');
  expect(mask.redact('the token is hunter2-se', { cut: true })).toBe(`the token is ${MASK_TEXT}`);
  for (const tail of ['', 'y'.repeat(10_000)]) {
    expect(mask.excerpt(`${'x'.repeat(95)}hunter2-secret${tail}`, 100)).not.toContain('hun');
  }
});

test.each([`'…`, `...' for key`, `' for key`, `" is no number`])(
  'a long beginning of a sensitive value that a server has cut before %j is hidden, and the rest of the message stays',
  (rest) => {
    const token = Array.from({ length: 30 }, (_, n) => `Token${n}`).join('');
    const message = `Duplicate entry '${token.slice(0, 64)}${rest}`;
    expect(maskHiding(token).redact(message, { cut: true })).toBe(`Duplicate entry '${MASK_TEXT}${rest}`);
    const other = `GET ${token.slice(0, 64)}/7 answered 404`;
    expect(maskHiding(token).redact(other, { cut: true })).toBe(other);
  },
);

test.each([`' for key 'x'`, `…`, ''])(
  'a beginning of a sensitive value with quotes that a server has cut before %j is hidden up to the cut',
  (rest) => {
    const secret = Array.from({ length: 30 }, (_, n) => `Pass'word"${n}`).join('');
    for (const length of [64, 70, 200]) {
      const shown = maskHiding(secret).redact(`Duplicate entry '${secret.slice(0, length)}${rest}`, { cut: true });
      expect(shown).toMatch(/^Duplicate entry '•••/);
      expect(shown).not.toMatch(/word|Pass/);
    }
  },
);

test('a key of several lines is hidden line by line', () => {
  const mask = maskHiding('-----BEGIN-----\nMIIEvQIBADAN\n-----END-----');
  expect(mask.redact('first MIIEvQIBADAN')).toBe(`first ${MASK_TEXT}`);
});

test('a secret with replacement patterns such as $& is hidden literally', () => {
  expect(maskHiding("$&$'").redact("a $&$' b")).toBe(`a ${MASK_TEXT} b`);
});

test.each<[unknown, string, string]>([
  ['a', 'a table, {"a":"a"} or a.', '••• table, {"•••":"•••"} or •••.'],
  ['ab', 'ab cab abc ab_ 1ab x-ab', '••• cab abc ab_ 1ab x-•••'],
  ['é', 'né é é1', 'né ••• é1'],
  [7, '7 of 17, 7.5 v7', '••• of 17, •••.5 v7'],
  ['12', 'pin=12&n=123', 'pin=•••&n=123'],
  ['🙂', 'is 🙂!', 'is •••!'],
  ['--', 'x --y -- z', 'x --y ••• z'],
])('the value %j of one or two characters is hidden where it stands alone: %s', (value, text, shown) => {
  expect(maskHiding(value).redact(text)).toBe(shown);
});

test('a cut text never ends with the first of two sensitive characters', () => {
  expect(maskHiding('xy').redact('the pin is x', { cut: true })).toBe(`the pin is ${MASK_TEXT}`);
  expect(maskHiding('xy').redact('the pin is x')).toBe('the pin is x');
});

test('secrets that share their beginning, and a text that repeats it, are searched in one pass', () => {
  const mask = maskHiding(Array.from({ length: 300 }, (_, n) => `${'a'.repeat(500)}${n}b`));
  const text = `${'a'.repeat(100_000)} ${'a'.repeat(500)}299b.`;
  expect(mask.redact(text)).toBe(`${'a'.repeat(100_000)} ${MASK_TEXT}.`);
});

test('secrets that share their beginning are searched in one pass in a cut text, too', () => {
  const mask = maskHiding(Array.from({ length: 300 }, (_, n) => `${'a'.repeat(500)}${n}b`));
  const text = `${'a'.repeat(100_000)}' is no number`;
  expect(mask.redact(text, { cut: true })).toBe(`${'a'.repeat(99_500)}${MASK_TEXT}' is no number`);
});

test('secrets of quotes are searched in one pass in a cut text of quotes', () => {
  const mask = maskHiding(Array.from({ length: 300 }, (_, n) => `${"'".repeat(500)}${n}b`));
  expect(mask.redact(`${"'".repeat(100_000)}x`, { cut: true })).toBe(`${MASK_TEXT}'x`);
});
