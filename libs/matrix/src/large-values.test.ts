import { JsonThread, RawJson, stringifyWithRaw } from '@batuta/json';
import * as fc from 'fast-check';
import { convertValue, LargeText, MATRIX_TYPES, sentMatrixProblem, JSON_TASK_OF_TYPE, type ValueSource } from '.';

const thread = new JsonThread();
afterAll(() => thread.close());

const anyType = fc.constantFrom(...MATRIX_TYPES);
const anySource = fc.constantFrom<ValueSource[]>('body', 'node', 'assign');
const anyStructure = fc.oneof(
  fc.array(fc.jsonValue()),
  fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { noNullPrototype: true }),
);

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[-R$ ]{0,3}[\d.,]{0,12}$/));
/** Texts of lists and objects, and texts that only look like one. */
const anyStructureText = fc.oneof(
  fc.json(),
  anyStructure.map((value) => ` ${JSON.stringify(value)}\n`),
  fc.string(),
  fc.constantFrom(
    '',
    ' ',
    'a, b,,',
    '[1',
    '[1e400]',
    '{"a":1e-400}',
    '[1]x',
    '5',
    'null',
    '['.repeat(101) + ']'.repeat(101),
  ),
);

/** The JSON of the converted value, or the message of its refusal. */
function outcomeText(convert: () => unknown): string {
  try {
    return stringifyWithRaw(convert()).json;
  } catch (error) {
    return String(error);
  }
}

test('a value that stands as JSON text converts to the same JSON, or the same refusal, as the value', () => {
  fc.assert(
    fc.property(anyType, fc.oneof(anyStructure, anyStructureText, anyText), anySource, (type, value, source) => {
      const json = JSON.stringify(value);
      const asText = outcomeText(() => convertValue(type, new RawJson(json), 'total', source));
      expect(asText).toBe(outcomeText(() => convertValue(type, JSON.parse(json), 'total', source)));
    }),
    { numRuns: 500 },
  );
});

test('a text whose JSON a thread reads converts to the same JSON, or the same refusal, as without it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('Lista' as const, 'Objeto' as const),
      anyStructureText,
      anySource,
      async (type, text, source) => {
        const task = JSON_TASK_OF_TYPE[type] ?? 'jsonOfListText';
        const large = new LargeText(text, await thread.run(task, text));
        const read = outcomeText(() => convertValue(type, large, 'total', source));
        expect(read).toBe(outcomeText(() => convertValue(type, text, 'total', source)));
      },
    ),
    { numRuns: 80 },
  );
});

test('values that stand as JSON text have no obstacle, and JSON text in place of the whole matrix is refused', () => {
  expect(sentMatrixProblem({ a: new RawJson('[1]'), b: 1 })).toBeUndefined();
  expect(sentMatrixProblem({ a: new RawJson('[1]'), b: Infinity })).toMatch(/^b: /);
  expect(sentMatrixProblem(new RawJson('[{}]'))).toBe('matrix: must be an object');
});
