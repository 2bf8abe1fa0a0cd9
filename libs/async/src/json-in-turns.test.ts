import { anything, asyncProperty, assert, constantFrom, json, nat, oneof, string, tuple } from 'fast-check';
import { parseJsonInTurns } from './json-in-turns';

const dense = `{"list":[${'{},'.repeat(100_000)}{}]}`;

/** What JSON.parse makes of the text, or that it throws. */
const parsed = (text: string): unknown => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'no JSON';
  }
};
const parsedInTurns = (text: string): Promise<unknown> =>
  parseJsonInTurns(text).then(
    (value) => ({ value }),
    () => 'no JSON',
  );

test('a text is read as JSON.parse reads it, in many turns', async () => {
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 0);
  const value = await parseJsonInTurns(dense);
  clearInterval(counting);
  expect(value).toEqual(JSON.parse(dense));
  expect(turns).toBeGreaterThan(3);
});

test.each([
  '{"__proto__":{"a":1}}',
  '{"\\u005f_proto__":1}',
  '{"a":"\\ud800"}',
  '{"a":"\\ud83d\\ude42 é \\n \\" \\\\ \\/"}',
  '{"a":1,"a":2}',
  '{"1":"x","0":"y"}',
  '[1e400,-1e400,1e-400,-0,0.1,12345678901234567890,1E+2]',
  ' {"a" : [ ] , "b" : { } } \n',
  '{"a":1}{"b":2}',
  '{"a":1}}',
  '{"a":01}',
  '{"a":1.}',
  '{"a":.5}',
  '{"a":+1}',
  '{"a":-}',
  '{"a":1,}',
  '[1,]',
  '{a:1}',
  "{'a':1}",
  '{"a":"\t"}',
  '{"a":"\\x"}',
  '{"a":nul}',
  '{"a":NaN}',
  '[1 2]',
  '{"a" 1}',
  '{"a":"unfinished',
  '{"a":[1',
  '',
  ' ',
  '"text"',
  '17',
  'null',
])('the text %j is read as JSON.parse reads it', async (text) => {
  expect(await parsedInTurns(text)).toEqual(parsed(text));
});

test('any JSON, also with a character changed, is read as JSON.parse reads it', async () => {
  const texts = oneof(
    json(),
    anything().map((value) => JSON.stringify(value) ?? ''),
  );
  const changed = tuple(
    texts,
    nat(),
    oneof(string({ maxLength: 2 }), constantFrom(',', '"', '{', ']', '\\', '0', 'e')),
  );
  const property = asyncProperty(changed, async ([text, at, instead]) => {
    const position = at % (text.length + 1);
    for (const one of [text, text.slice(0, position) + instead + text.slice(position + 1)]) {
      expect(await parsedInTurns(one)).toEqual(parsed(one));
    }
  });
  await assert(property, { numRuns: 2_000 });
});
