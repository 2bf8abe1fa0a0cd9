import { useSandbox } from '../../test/flow-world';

const sandbox = useSandbox({ workers: 1 });
const run = (code: string) => sandbox.runFunctionBody(code);
/** The code of a Uint8Array with these bytes. */
const bytesCode = (bytes: Iterable<number>) => `new Uint8Array([${[...bytes].join(',')}])`;

/** Bytes of every length, valid UTF-8 and not, the same in each run. */
const SAMPLES = Array.from({ length: 300 }, (_, n) =>
  Buffer.from(
    Array.from(
      { length: n % 12 },
      (_unused, i) => [0x41, 0xc3, 0xa9, 0xe2, 0x82, 0xf0, 0x9f, 0xed, 0xf4, 0xff][(n * 7 + i * i * 3) % 10] ?? 0,
    ),
  ),
);
const TEXTS = ['', 'a', 'é', '€ 10', 'São João 😀', '\u0000\u0001', 'ação '.repeat(3_000)];

test('base64 of the sandbox is that of Node for every byte and length', async () => {
  for (const bytes of [Buffer.from(Array.from({ length: 256 }, (_, n) => n)), ...SAMPLES.slice(0, 12)]) {
    const [binary, base64] = [JSON.stringify(bytes.toString('latin1')), bytes.toString('base64')];
    expect(await run(`return [btoa(${binary}), atob(${JSON.stringify(base64)}) === ${binary}]`)).toEqual([
      base64,
      true,
    ]);
  }
  expect(await run('return [atob(" YQ\\n= = "), atob("YWI"), btoa(12)]')).toEqual(['a', 'ab', 'MTI=']);
});

test.each([
  'atob("a")',
  'atob("YQ=")',
  'atob("YQ-_")',
  'btoa("€")',
  'new TextDecoder("utf-16le")',
  'new TextDecoder().decode("text")',
])('the sandbox refuses %s', async (code) => {
  await expect(run(`return ${code}`)).rejects.toMatchObject({ kind: 'code', line: 1 });
});

test('a TextEncoder of the sandbox gives the bytes that one of Node gives', async () => {
  for (const text of [...TEXTS, '\ud800', 'a\udc00b']) {
    const expected = [...new TextEncoder().encode(text)];
    expect(await run(`return [...new TextEncoder().encode(${JSON.stringify(text)})]`)).toEqual(expected);
  }
});

test('a TextDecoder of the sandbox reads bytes as one of Node does, also bytes that are not valid UTF-8', async () => {
  for (const bytes of [...TEXTS.map((text) => Buffer.from(text)), Buffer.from('\ufeffa')]) {
    expect(await run(`return new TextDecoder().decode(${bytesCode(bytes)})`)).toBe(new TextDecoder().decode(bytes));
  }
  const lists = SAMPLES.map(bytesCode).join(',');
  expect(await run(`return [${lists}].map((bytes) => new TextDecoder().decode(bytes))`)).toEqual(
    SAMPLES.map((bytes) => new TextDecoder().decode(bytes)),
  );
  const every = bytesCode(Array.from({ length: 256 }, (_, n) => n));
  expect(await run(`return new TextDecoder('ISO-8859-1').decode(${every}.buffer)`)).toBe(
    new TextDecoder('latin1').decode(Uint8Array.from({ length: 256 }, (_, n) => n)),
  );
});

test('a file of a flow is read as text in a script', async () => {
  const base64 = Buffer.from('número;preço\n1;10,50\n').toString('base64');
  const code = `
    const content = atob('${base64}');
    const bytes = new Uint8Array(content.length);
    for (let i = 0; i < content.length; i++) bytes[i] = content.charCodeAt(i);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim().split('\\n').map((line) => line.split(';'));`;
  expect(await run(code)).toEqual([
    ['número', 'preço'],
    ['1', '10,50'],
  ]);
});

test('an author may define a function with the name of a codec', async () => {
  expect(await run('const atob = (text) => text + "!"; return atob("a")')).toBe('a!');
  expect(await run('globalThis.btoa = () => 1; return btoa()')).toBe(1);
});
