import * as fc from 'fast-check';
import { isRefusedName, messageOfRefusedName, parseJsonText, problemOfText, refusedName } from '.';

test.each(['caf\\', '\\', 'a\\\\', 'a\\nb', 'C:\\temp', 'a\\"', 'a\\u00e9', '\\\\server\\user'])(
  'the name %j is refused in every spelling, at any depth and place',
  (name) => {
    const escaped = Array.from(name)
      .map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
    for (const spelling of [
      JSON.stringify(name),
      `"${escaped}"`,
      `"${escaped.toUpperCase().replaceAll('\\U', '\\u')}"`,
    ]) {
      for (const json of [
        `{${spelling}:1}`,
        `[[{"a":{"b":1,${spelling} \n\r\t:2}}]]`,
        `{"v":"\\\\\\":",${spelling}:"\\n"}`,
      ]) {
        expect(refusedName(json)).toBe(name);
        expect(() => parseJsonText(json)).toThrow(SyntaxError);
      }
    }
  },
);

test.each(['', 'café', 'a"b', 'a/b', 'line\nend', 'App\\Models\\User', 'C:\\Users', 'a\\nb\\Q', '\\é', '\\ '])(
  'the name %j is accepted in every spelling',
  (name) => {
    expect(refusedName(JSON.stringify({ first: 1, [name]: { [name]: 2 } }))).toBeUndefined();
    expect(Object.keys(Object(parseJsonText(JSON.stringify({ [name]: 1 }))))).toEqual([name]);
  },
);

test.each([
  '{"a":"caf\\\\"}',
  '["caf\\\\","b"]',
  '"caf\\\\"',
  '"caf\\\\\\":"',
  '{"a":"{\\"caf\\\\\\\\\\":1}"}',
  '["\\\\" , ":"]',
  '{"a":"C:\\\\temp","b":"\\\\"}',
])('no text in the values of %s is taken for a name', (json) =>
  expect([refusedName(json), problemOfText('x')]).toEqual([undefined, 'is not valid JSON']),
);

test.each([
  '',
  '\\',
  '"',
  '"\\',
  '"\\"',
  '\\":',
  '{"a\\',
  '{"a\\"',
  '{"a\\x":1',
  '\\"\\":\\"',
  '{"a\nb\\\\":1}',
  '{"caf\\\\"',
])('the text %j is refused because it is not JSON, and not for a name in it', (text) => {
  expect([refusedName(text), problemOfText(text)]).toEqual([undefined, 'is not valid JSON']);
  expect(() => parseJsonText(text)).toThrow(SyntaxError);
});

test('a name before the fault of a text is found, because the parser remembers it', () => {
  expect(refusedName('{"a":1,"caf\\\\":2},')).toBe('caf\\');
  expect(refusedName('{"a":1,"caf\\\\":2,"b\\x":3')).toBe('caf\\');
});

test('the message has a name in one line, without invisible characters, and cuts a long one', () => {
  expect(messageOfRefusedName('caf\\')).toBe(
    String.raw`the name "caf\\" has a backslash that could be read as an escape; use another name`,
  );
  expect(messageOfRefusedName(`\u202e\n${'x'.repeat(100)}\\`)).toMatch(/^the name "□\\nx{58}…" has /);
});

test.each([
  ['of backslashes', `"${'\\'.repeat(4_000_000)}`],
  ['of quotation marks in a value', `{"a":"${'\\"'.repeat(2_000_000)}"}`],
  ['of values', `[${'"\\n",'.repeat(700_000)}1]`],
  ['of accepted names', `[${'{"\\n":1},'.repeat(400_000)}1]`],
  ['of white space', `[${`"\\n"${' '.repeat(1_000)},`.repeat(4_000)}1]`],
  ['of backslashes outside of strings', '\\":'.repeat(1_500_000)],
])('four megabytes %s are read in one pass', (_, text) => expect(refusedName(text)).toBeUndefined());

const characters = fc.constantFrom('\\', '\\', '"', 'n', 'u', '0', 'a', 'M', ':', ' ', 'é', '\n', '/', ',', '{');
const texts = fc.string({ unit: characters, maxLength: 7 });

/** One of the spellings of a text in JSON. */
const spelled = fc.tuple(texts, fc.infiniteStream(fc.nat(2))).map(([text, ways]) => {
  const shapes = text.split('').map((each) => {
    const way = ways.next().value;
    if (way === 0) return `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`;
    if (way === 1 && each === '/') return '\\/';
    return JSON.stringify(each).slice(1, -1);
  });
  return `"${shapes.join('')}"`;
});
const spaces = fc.constantFrom('', '', ' ', '\n\t');
const { json: anyJson } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    spelled,
    fc.constantFrom('1', 'null', '-2.5e3'),
    fc.array(tie('json'), { maxLength: 3 }).map((items) => `[${items.join(' , ')}]`),
    fc
      .array(fc.tuple(spelled, spaces, tie('json')), { maxLength: 4 })
      .map(
        (fields) => `{${fields.map(([name, space, value]) => `${space}${name}${space}:${space}${value}`).join(',')}}`,
      ),
  ),
}));

test('in any JSON the first refused name is found, and no other text is taken for a name', () => {
  fc.assert(
    fc.property(anyJson, (json) => expect(refusedName(json)).toBe(namesInJson(json).names.find(isRefused))),
    { numRuns: 3_000 },
  );
});

test('in any damaged JSON, each refused name in front of the damage is found', () => {
  const damaged = fc.tuple(anyJson, fc.nat(), fc.nat(3), characters).map(([json, place, removed, added]) => {
    const at = place % (json.length + 1);
    return json.slice(0, at) + added + json.slice(at + removed);
  });
  fc.assert(
    fc.property(damaged, (text) => {
      const { names, isWhole } = namesInJson(text);
      const expected = names.find(isRefused);
      fc.pre(isWhole || expected !== undefined);
      expect(refusedName(text)).toBe(expected);
    }),
    { numRuns: 3_000 },
  );
});

test('after any accepted name JSON.parse reads every name as it is written', () => {
  let shapes = 0;
  fc.assert(
    fc.property(texts, texts, spelled, (earlier, prefix, later) => {
      fc.pre(!isRefusedName(earlier));
      // Each round has a first name of its own, so that V8 has read no other object whose second name stood at this place.
      const first = `shape${(shapes += 1)}`;
      parseJsonText(JSON.stringify({ [first]: 1, [earlier]: 2 }));
      for (const name of [later, `"${earlier}${later.slice(1)}`, `"${prefix}${later.slice(1)}`]) {
        const written = namesInJson(`{${name}:1}`);
        if (!written.isWhole) continue;
        const read = Object.entries(Object(JSON.parse(`{"${first}":1,${name}:2}`))).find(([, value]) => value === 2);
        // A name with quotation marks can make several fields, of which the last has the value.
        expect(read?.[0]).toBe(written.names.at(-1));
      }
    }),
    { numRuns: 3_000, examples: [['":0,"é', '', '""']] },
  );
});

/** The rule in words: each backslash stands at the end, or before a character that makes it an escape. */
function isRefused(name: string): boolean {
  const withoutEscapes = name.replaceAll(/\\["\\/bfnrtu]/g, '').replace(/\\$/, '');
  return name.includes('\\') && !withoutEscapes.includes('\\');
}

/** Reads JSON character by character, by RFC 8259. Returns all names in their order, up to the first fault. */
function namesInJson(text: string): { names: string[]; isWhole: boolean } {
  const names: string[] = [];
  let rest = text;
  const take = (pattern: RegExp): string => {
    const [found] = new RegExp(`^(?:${pattern.source})`, pattern.flags).exec(rest) ?? [];
    if (found === undefined) throw new SyntaxError(rest);
    rest = rest.slice(found.length);
    return found;
  };
  const takeString = (): string => {
    let value = '';
    for (take(/"/); !rest.startsWith('"');) {
      const character = take(/\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]|[^"\\\p{Cc}]/u);
      const short = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }[character.slice(1)] ?? character.slice(1);
      if (character.startsWith('\\u')) value += String.fromCharCode(parseInt(character.slice(2), 16));
      else value += character.length === 2 && character.startsWith('\\') ? short : character;
    }
    take(/"/);
    return value;
  };
  const takeItems = (open: RegExp, close: RegExp, takeItem: () => void) => {
    take(open);
    take(/[ \t\r\n]*/);
    for (let count = 0; !close.test(rest.charAt(0)); count += 1) {
      if (count > 0) take(/,[ \t\r\n]*/);
      takeItem();
    }
    take(close);
  };
  const takeValue = (): void => {
    take(/[ \t\r\n]*/);
    if (rest.startsWith('"')) takeString();
    else if (rest.startsWith('[')) takeItems(/\[/, /\]/, takeValue);
    else if (rest.startsWith('{')) takeItems(/\{/, /\}/, takeField);
    else take(/true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/);
    take(/[ \t\r\n]*/);
  };
  const takeField = (): void => {
    take(/[ \t\r\n]*/);
    const name = takeString();
    take(/[ \t\r\n]*:/);
    names.push(name);
    takeValue();
  };
  try {
    takeValue();
    return { names, isWhole: rest === '' };
  } catch {
    return { names, isWhole: false };
  }
}
