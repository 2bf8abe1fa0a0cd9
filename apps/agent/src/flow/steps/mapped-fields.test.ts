import type { StepMapping, RestStep, Step } from '@batuta/flow';
import { createFlowWorld, useSandbox, type FlowWorld } from '../../../test/flow-world';

const sandbox = useSandbox({ workers: 1 });

let world: FlowWorld;
let sent: { url: string; body: string; headers: Headers }[];
beforeEach(() => {
  sent = [];
  const fetcher: typeof fetch = (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : '';
    sent.push({ url: input instanceof Request ? input.url : String(input), body, headers: new Headers(init?.headers) });
    return Promise.resolve(new Response('ok'));
  };
  world = createFlowWorld(sandbox, { fetch: fetcher });
});

const MATRIX_VALUES = [
  { name: 'total', type: 'Moeda', value: 1234.5 },
  { name: 'customer', type: 'Texto', value: 'Padaria "Sol"' },
  { name: 'items', type: 'Lista', value: ['a', 'b'] },
  { name: 'token', type: 'Secreto', value: 'hunter2-secret' },
];
const VAULT_VALUES = { KEY: 'vault-value-1' };
const textField = (value: string) => ({ mode: 'Variável ou texto' as const, value });
const fixedField = (value: string) => ({ mode: 'Fixo' as const, value });
const formulaField = (value: string) => ({ mode: 'Fórmula' as const, value });
const postStep = (body: RestStep['body'], mapping?: StepMapping, fields: Partial<RestStep> = {}): RestStep => ({
  name: 'call',
  type: 'rest',
  method: 'POST',
  url: 'http://127.0.0.1/',
  body,
  ...(mapping && { mapping }),
  ...fields,
});

describe('mapped fields', () => {
  test.each<[string, RestStep['body'], StepMapping, string]>([
    ['a number outside the quotes of JSON', '{"n": {{n}}}', { n: formulaField('{matrix.total} * 2') }, '{"n": 2469}'],
    [
      'escaped text inside the quotes of JSON',
      '{"c": "{{c}}"}',
      { c: textField('{matrix.customer}') },
      String.raw`{"c": "Padaria \"Sol\""}`,
    ],
    [
      'the value itself where it stands alone in a JSON body',
      { a: '{{a}}' },
      { a: textField('{matrix.items}') },
      '{"a":["a","b"]}',
    ],
    ['Moeda with a dot decimal', 'R$ {{m}}', { m: textField('{matrix.total}') }, 'R$ 1234.50'],
    ['its literal text in mode Fixo', '{{f}}', { f: fixedField('{matrix.total} {{f}}') }, '{matrix.total} {{f}}'],
    [
      'a value converted by its Tipo',
      '{"n": {{n}}}',
      { n: { ...fixedField('1.234,5'), type: 'Número' } },
      '{"n": 1234.5}',
    ],
    ['a vault value, which fields of a step may read', '{{k}}', { k: textField('{vault.KEY}') }, 'vault-value-1'],
    [
      'text in which the {{name}} of an earlier field stays text',
      '{{b}} {{c}}',
      { a: fixedField('1'), b: textField('{{a}}'), c: formulaField('"{{a}}"') },
      '{{a}} {{a}}',
    ],
    [
      'no text that is searched again',
      '{{a}}',
      { a: fixedField('{{b}} {matrix.total}'), b: fixedField('no') },
      '{{b}} {matrix.total}',
    ],
  ])('{{name}} in a field of a connector becomes the mapped value as %s', async (_form, body, mapping, expected) => {
    expect(await world.run([postStep(body, mapping)], { matrix: MATRIX_VALUES, vault: VAULT_VALUES })).toMatchObject({
      outcome: 'FINALIZED',
    });
    expect(sent.map((request) => request.body)).toEqual([expected]);
  });

  test('{{name}} in a field of a connector becomes the mapped value in the URL and in headers', async () => {
    const step = postStep(
      null,
      { id: fixedField('7'), h: fixedField('x') },
      { url: 'http://127.0.0.1/{{id}}', headers: { 'x-h': '{{h}}' } },
    );
    await world.run([step]);
    expect(sent[0]?.url).toBe('http://127.0.0.1/7');
    expect(sent[0]?.headers.get('x-h')).toBe('x');
  });
});

test('{{name}} without a mapping in the step, and {name} of a field, stay literal text', async () => {
  await world.run([postStep('{{matrix.total}} {{other}} {{ a }} {a} {{a}}', { a: fixedField('1') })], {
    matrix: MATRIX_VALUES,
  });
  await world.run([postStep('{{matrix.total}} {{a}}')], { matrix: MATRIX_VALUES });
  expect(sent.map(({ body }) => body)).toEqual(['{{matrix.total}} {{other}} {{ a }} {a} 1', '{{matrix.total}} {{a}}']);
});

test('a field reads the rows of its step, and belongs to its step only', async () => {
  const steps: Step[] = [
    postStep(
      '{{a}}',
      { a: textField('<{r}>') },
      { rows: [{ name: 'r', ...fixedField('1') }], routes: [{ to: 'next' }] },
    ),
    { ...postStep('{{a}} {{b}}', { b: fixedField('2') }), name: 'next' },
  ];
  await world.run(steps);
  expect(sent.map(({ body }) => body)).toEqual(['<1>', '{{a}} 2']);
});

test.each<[string, StepMapping, RegExp]>([
  [
    'does not fit its Tipo',
    { n: { ...fixedField('abc'), type: 'Moeda' } },
    /Step "call": field n: the value is not an amount/,
  ],
  ['throws', { n: formulaField('null.x') }, /Step "call": field n \(line 1\): cannot read property/],
])('a value that %s fails the step before its action', async (_fault, mapping, message) => {
  const end = await world.run([postStep('{{n}}', mapping)]);
  expect(end).toMatchObject({ outcome: 'ERROR', errorStep: 'call', errorMessage: expect.stringMatching(message) });
  expect(sent).toEqual([]);
});

test.each<[string, StepMapping]>([
  ['a sensitive field', { s: { ...fixedField('hunter2-secret'), sensitive: true } }],
  ['a field with a Secreto', { s: textField('{matrix.token}') }],
  ['a field made from a Secreto', { s: formulaField('"{matrix.token}".toUpperCase()') }],
  ['a validation that returns a sensitive field', { s: { ...textField('{matrix.token}'), validation: 'return {s}' } }],
])('the log does not show the value of %s', async (_what, mapping) => {
  await world.run([postStep('{{s}}', mapping, { url: 'http://127.0.0.1/{{s}}' })], { matrix: MATRIX_VALUES });
  expect(sent[0]?.body).toMatch(/hunter2/i);
  expect(world.messages()).not.toMatch(/hunter2/i);
  expect(world.messages()).toContain('mapping: s = •••');
});

describe('field validation', () => {
  test('the validation of a field runs before the action, reads the value by the name of the field, and its result is {stepValidation}', async () => {
    const mapping = {
      n: { ...formulaField('{matrix.total}'), validation: 'return {n} > 1000 ? "large" : "small"' },
      v: textField('{stepValidation}'),
    };
    await world.run([postStep('{{n}} {{v}} {stepValidation}', mapping)], { matrix: MATRIX_VALUES });
    expect(sent[0]?.body).toBe('1234.5 large large');
    expect(world.messages()).toContain('Step "call": validation of the field n gave "large"');
  });

  test('the validation of a field that gives false fails nothing; routes read its result', async () => {
    const mapping = { n: { ...fixedField('1'), validation: 'return false' } };
    const routes = [{ when: '{stepValidation} === false', terminate: true as const }];
    expect(await world.run([postStep('{{n}}', mapping, { routes })])).toMatchObject({ outcome: 'TERMINATED' });
    expect(sent).toHaveLength(1);
  });

  test('the validation of a field that throws fails the step before its action', async () => {
    const mapping = { n: { ...fixedField('1'), validation: 'throw new Error("n must be even")' } };
    const end = await world.run([postStep('{{n}}', mapping)]);
    expect(end.errorMessage).toBe('Step "call": validation of the field n (line 1): n must be even');
    expect(sent).toEqual([]);
  });

  test('the validation of a field is followed by the validation of the step, whose result counts after the action', async () => {
    const mapping = { n: { ...fixedField('1'), validation: 'return "field"' } };
    const validation = 'return {stepValidation} + " then step " + {reply.status}';
    const rows = [{ name: 'last', ...textField('{stepValidation}') }];
    await world.run([
      postStep('{{n}}', mapping, { as: 'reply', validation, routes: [{ to: 'v' }] }),
      { name: 'v', type: 'variables', rows },
    ]);
    expect(world.messages()).toContain('last = "field then step 200"');
  });
});

test('{stepValidation} that was made from a secret is hidden wherever it is read', async () => {
  const steps: Step[] = [
    {
      name: 'v',
      type: 'variables',
      validation: 'return [..."{matrix.token}"].reverse().join("")',
      routes: [{ to: 'w' }],
    },
    { name: 'w', type: 'variables', rows: [{ name: 'copy', ...textField('{stepValidation}') }] },
  ];
  await world.run(steps, { matrix: MATRIX_VALUES });
  expect(world.messages()).toContain('copy = •••');
  expect(world.messages()).not.toContain('terces');
});
