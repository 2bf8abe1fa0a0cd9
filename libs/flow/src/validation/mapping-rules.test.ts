import type { StepMapping, Step } from '../definition/definition';
import { flowOf, problemsOf } from '../../test/flow-builders';
import { validateFlow } from './validate-flow';

const matrix = [{ name: 'total', type: 'Moeda' }];
const textField = (value: string) => ({ mode: 'Variável ou texto' as const, value });
const restStep = (body: unknown, mapping?: StepMapping, fields: object = {}): Step => ({
  name: 'call',
  type: 'rest',
  method: 'POST',
  url: 'http://x/',
  as: 'reply',
  body,
  ...(mapping && { mapping }),
  ...fields,
});
const validateStep = (step: Step) => validateFlow(flowOf(step), { matrix });
const problemAt = (path: string, message: RegExp) => [
  { path: `/steps/0${path}`, message: expect.stringMatching(message) },
];

test('{{name}} in a field of a connector declares a field, which the mapping gives a value', () => {
  const step = restStep('{"sum": {{sum}}, "again": "{{sum}} {{who}}"}', {
    sum: textField('{matrix.total}'),
    who: textField('x'),
  });
  const paths = ['/steps/0/body'];
  expect(validateStep(step)).toEqual({
    problems: [],
    warnings: [],
    fields: [
      {
        step: 'call',
        fields: [
          { name: 'sum', paths, mapped: true },
          { name: 'who', paths, mapped: true },
        ],
      },
    ],
  });
});

test.each<[string, Step]>([
  ['a URL and a header', restStep(null, { a: textField('1') }, { url: 'http://x/{{a}}', headers: { h: '{{a}}' } })],
  ['a nested value of a JSON body', restStep({ list: [{ x: '{{a}}' }] }, { a: textField('1') })],
  ['SQL', { name: 's', type: 'database', connection: 'c', sql: 'SELECT {{a}}', mapping: { a: textField('1') } }],
  [
    'an action of a page',
    {
      name: 'b',
      type: 'browser',
      actions: [{ action: 'fill', selector: '#a', value: '{{a}}' }],
      mapping: { a: textField('1') },
    },
  ],
  [
    'an e-mail',
    {
      name: 'e',
      type: 'email',
      server: 's',
      from: 'f',
      to: '{{a}}',
      subject: '',
      text: '',
      mapping: { a: textField('1') },
    },
  ],
])('a field is declared in %s', (_where, step) => {
  expect(validateStep(step).fields).toMatchObject([{ fields: [{ name: 'a', mapped: true }] }]);
  expect(validateStep(step).warnings).toEqual([]);
});

test.each([
  '{{ a }}',
  '{{matrix.total}}',
  '{{vault.KEY}}',
  '{{connector.rowCount}}',
  '{{stepName}}',
  '{{3}}',
  '{a: {b: 1}}',
  '{ {a} }',
])('%s declares no field', (body) => {
  expect(validateStep(restStep(body)).fields).toEqual([]);
});

test.each<[string, Step, string, RegExp]>([
  [
    'a field that the mapping lacks',
    restStep('{{a}} {{b}}', { a: textField('1') }),
    '/body',
    /^\{\{b\}\}: .*no field "b".*\{\{ b \}\}/,
  ],
  [
    'a name with a reserved prefix',
    restStep('x', { 'matrix.a': textField('1') }),
    '/mapping/matrix.a',
    /name of a field must not start/,
  ],
  [
    'the name of a system variable',
    restStep('x', { stepName: textField('1') }),
    '/mapping/stepName',
    /system variable/,
  ],
  ['a name with braces', restStep('x', { '{a}': textField('1') }), '/mapping/{a}', /braces/],
  [
    'an empty formula',
    restStep('{{a}}', { a: { mode: 'Fórmula', value: ' ' } }),
    '/mapping/a/value',
    /formula cannot be empty/,
  ],
  ['an unknown variable in a value', restStep('{{a}}', { a: textField('{nobody}') }), '/mapping/a/value', /\{nobody\}/],
  [
    'an unknown variable in a validation',
    restStep('{{a}}', { a: { ...textField('1'), validation: 'return {matrix.nobody}' } }),
    '/mapping/a/validation',
    /"nobody"/,
  ],
  [
    'a field of the mapping within quotes of SQL',
    { name: 's', type: 'database', connection: 'mysql://h/d', sql: "SELECT '{{a}}'", mapping: { a: textField('1') } },
    '/sql',
    /no parameter can stand/,
  ],
])('in the mapping of a step, %s is a problem', (_rule, step, path, message) => {
  expect(problemsOf(flowOf(step))).toEqual(problemAt(path, message));
});

test('51 fields are a problem, and so are an unknown mode, and a mapping of a step type without texts', () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, textField('1')]));
  expect(problemsOf(flowOf(restStep('x', many)))).toEqual(problemAt('/mapping', /at most 50/));
  const unknownMode = { ...restStep('{{a}}'), mapping: { a: { mode: 'Formula', value: '1' } } };
  expect(problemsOf({ start: 'call', steps: [unknownMode] })).toEqual(problemAt('/mapping/a/mode', /must be one of/));
  const wait = { name: 'w', type: 'wait', seconds: 1, mapping: {} };
  expect(problemsOf({ start: 'w', steps: [wait] })).toEqual(problemAt('/mapping', /not a field/));
});

// Swapped braces are no error, and the text stays literal (contract 2.12).
test.each<[string, Step, string, RegExp]>([
  ['{{name}} without a mapping', restStep('{{reply}} x'), '/body', /stays text.*\{reply\} reads the variable/],
  [
    '{{name}} of no variable, without a mapping',
    restStep('{{who}}'),
    '/body',
    /stays text, because the step maps no field "who"$/,
  ],
  [
    '{{name}} of a variable beside a mapping',
    restStep('{{reply}} {{a}}', { a: textField('1') }),
    '/body',
    /\{reply\} reads/,
  ],
  [
    '{name} of a field in the mapping',
    restStep('{a}', { a: textField('1') }),
    '/mapping/a',
    /no text of the step has \{\{a\}\}/,
  ],
])('%s is no problem, and a warning says what it means', (_rule, step, path, message) => {
  expect(validateStep(step)).toMatchObject({ problems: [], warnings: problemAt(path, message) });
});

test('the validation script of a mapped field may refer to the field by its name, even if the name has a dot', () => {
  const field = (name: string) => ({ ...textField('1'), validation: `return {${name}} > 0` });
  expect(problemsOf(flowOf(restStep('{{a}} {{a.b}}', { a: field('a'), 'a.b': field('a.b') })))).toEqual([]);
});
