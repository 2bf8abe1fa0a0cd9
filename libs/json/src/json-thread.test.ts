import * as fc from 'fast-check';
import { Worker } from 'node:worker_threads';
import { JsonThread, jsonObstacle, parseJsonText, RawJson, refusedName, stringifyWithRaw } from '.';

const thread = new JsonThread();
afterAll(() => thread.close());

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const FIELD_NAMES = ['list', 'matrix', 'a', 'b'];
const readFields = (json: string, maxNames = 10) => thread.readFields(Buffer.from(json), FIELD_NAMES, maxNames);

async function fieldsOf(json: string, maxNames?: number): Promise<Record<string, unknown>> {
  const body = await readFields(json, maxNames);
  if ('problem' in body) throw new Error(body.problem);
  return body.fields;
}

/** Lists of more than the few hundred characters above which a value becomes JSON text. */
const longLists = fc
  .array(fc.jsonValue(), { minLength: 0, maxLength: 5 })
  .map((list) => [...list, 'x'.repeat(300), {}]);
const fieldNames = fc.string({ unit: 'binary' });
const anyBody = fc.dictionary(
  fc.constantFrom(...FIELD_NAMES),
  fc.oneof(fc.jsonValue(), longLists, fc.dictionary(fieldNames, fc.oneof(longLists, fc.jsonValue()))),
);

test('every value of a body is what JSON.parse reads', async () => {
  await fc.assert(
    fc.asyncProperty(anyBody, async (value) => {
      fc.pre(refusedName(JSON.stringify(value)) === undefined);
      const fields = await fieldsOf(JSON.stringify(value), 1_000);
      const got = Object.entries(fields).map(([field, each]) => [field, stringifyWithRaw(each).json]);
      const sent = Object.entries(value).map(([field, each]) => [field, JSON.stringify(each)]);
      expect(Object.fromEntries(got)).toEqual(Object.fromEntries(sent));
    }),
    { numRuns: 50 },
  );
});

test('long lists and objects become texts, in fields and in the fields of objects, where long texts do too', async () => {
  const dense = Array.from({ length: 1_000 }, () => ({}));
  const note = 'ação "\\n'.repeat(100);
  const sent = { list: dense, a: note, matrix: { object: { dense }, short: [1], text: 'x', note } };
  expect(await fieldsOf(JSON.stringify(sent))).toEqual({
    list: new RawJson(JSON.stringify(dense)),
    a: note,
    matrix: {
      object: new RawJson(JSON.stringify({ dense })),
      short: [1],
      text: 'x',
      note: new RawJson(JSON.stringify(note)),
    },
  });
});

test.each([
  ['a number that no double holds', `[${'{},'.repeat(500)}1e400]`, 'number'],
  ['one that would become 0', `[${'{},'.repeat(500)}1e-400]`, 'number'],
  ['nesting that is too deep', '['.repeat(200_000) + ']'.repeat(200_000), 'depth'],
])('%s is still an obstacle in the fields that were read', async (_, value, obstacle) => {
  const { matrix } = await fieldsOf(`{"matrix":{"a":1,"items":${value}}}`);
  expect(jsonObstacle(matrix)).toBe(obstacle);
});

test('of too many values only the first ones are kept, and after them the first one that JSON cannot carry', async () => {
  const { matrix } = await fieldsOf('{"matrix":{"a":1,"b":2,"c":3,"d":1e400,"e":1e400}}', 2);
  expect(matrix).toEqual({ a: 1, b: 2, d: Infinity });
});

test('fields with other names are left out, also those that every object inherits', async () => {
  expect(await fieldsOf('{"a":1,"other":2,"constructor":3}')).toEqual({ a: 1 });
  expect(await thread.readFields(Buffer.from('{}'), ['constructor'], 10)).toEqual({ fields: {} });
});

test('the first other spelling of each name is returned without its value, also beside the name itself', async () => {
  const dense = [{ list: Array.from({ length: 300 }, () => ({})) }];
  const json = JSON.stringify({ a: 1, Matrix: dense, ma_trix: 2, A: 3, 'b-': null, ab: 4, __proto: 5 });
  expect(await fieldsOf(json)).toEqual({ a: 1, Matrix: true, A: true, 'b-': true });
});

test.each([
  ['{"a":1', 'syntax'],
  ['', 'syntax'],
  ['[{}]', 'no object'],
  ['null', 'no object'],
])('the body %j is refused: %s', async (json, problem) => {
  expect(await readFields(json)).toEqual({ problem });
});

test('a body, a Lista and an Objeto with a refused name are not parsed, and the result for the body has the name', async () => {
  const json = String.raw`{"a":[{"b":1,"caf\\":2}]}`;
  expect(await readFields(json)).toEqual({ problem: 'name', name: 'caf\\' });
  expect(await thread.run('jsonOfListText', ` [${json}]`)).toEqual({ obstacle: 'name' });
  expect(await thread.run('jsonOfObjectText', json)).toEqual({ obstacle: 'name' });
  expect(await thread.run('jsonOfListText', String.raw`"caf\\":, b`)).toEqual({
    json: String.raw`["\"caf\\\\\":","b"]`,
  });
});

test('bytes that are no UTF-8 are refused, and a byte order mark is no part of the text', async () => {
  expect(await thread.readFields(Buffer.from('{"a":"é"}', 'latin1'), FIELD_NAMES, 10)).toEqual({ problem: 'encoding' });
  expect(await readFields('\ufeff{}')).toEqual({ fields: {} });
});

test('a thread that dies fails the text that it works on, and the next text gets a new thread', async () => {
  const begun: Worker[] = [];
  const post = jest.spyOn(Worker.prototype, 'postMessage').mockImplementation(function posted(this: Worker) {
    begun.push(this);
  });
  const failingThread = new JsonThread();
  const lost = failingThread.readFields(bytesOf({ a: 1 }), FIELD_NAMES, 10);
  const next = failingThread.readFields(bytesOf({ b: 2 }), FIELD_NAMES, 10);
  post.mockRestore();
  await begun[0]?.terminate();
  await expect(lost).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await next).toEqual({ fields: { b: 2 } });
  await failingThread.close();
  await expect(failingThread.readFields(bytesOf({}), FIELD_NAMES, 10)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('closing the thread fails the calls whose texts it has not read', async () => {
  const closing = new JsonThread();
  const texts = [bytesOf({ a: 1 }), bytesOf({ b: 2 })].map((bytes) => closing.readFields(bytes, FIELD_NAMES, 10));
  const failed = Promise.allSettled(texts);
  await closing.close();
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a text as Lista or Objeto is read as a JSON text', async () => {
  expect(await thread.run('jsonOfListText', ' [1, {}] ')).toEqual({ json: '[1,{}]' });
  expect(await thread.run('jsonOfListText', 'a, b,')).toEqual({ json: '["a","b",""]' });
  expect(await thread.run('jsonOfListText', '[1e400]')).toEqual({ obstacle: 'number' });
  expect(await thread.run('jsonOfObjectText', '{"b":1,"a":[]}')).toEqual({ json: '{"b":1,"a":[]}' });
  expect(await thread.run('jsonOfObjectText', '5')).toEqual({});
  expect(parseJsonText(await thread.run('canonicalJson', '{"b":1,"a":[{"d":1,"c":2}]}'))).toEqual({
    a: [{ c: 2, d: 1 }],
    b: 1,
  });
});
