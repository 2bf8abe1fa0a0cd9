import type { Row } from '@batuta/flow';
import { createWorld, patientSandbox, type FlowWorld } from '../../../test/flow-world';

const sandbox = patientSandbox();
afterAll(() => sandbox.close());

let world: FlowWorld;
beforeEach(() => {
  world = createWorld(sandbox);
});

const formula = (name: string, value: string) => ({ name, mode: 'Fórmula' as const, value });
const text = (name: string, value: string) => ({ name, mode: 'Variável ou texto' as const, value });
const fixed = (name: string, value: string) => ({ name, mode: 'Fixo' as const, value });

/** The value of an expression over the variables, as the log shows it. */
const shown = async (rows: Row[], work: Parameters<FlowWorld['run']>[1] = {}): Promise<string> => {
  const end = await world.run([{ name: 'rows', type: 'variables', rows }], work);
  if (end.outcome !== 'FINALIZED') return end.errorMessage ?? end.outcome;
  return /result = (.*)$/m.exec(world.messages())?.[1] ?? 'nothing';
};

const matrix = [
  { name: 'total', type: 'Moeda', value: 1234.5 },
  { name: 'count', type: 'Número', value: 3 },
  { name: 'customer', type: 'Texto', value: 'Padaria "Sol"' },
  { name: 'items', type: 'Lista', value: ['a', 'b'] },
  { name: 'payload', type: 'Objeto', value: { issue: { title: 'Bug', labels: [{ name: 'x' }] } } },
  { name: 'token', type: 'Secreto', value: 'hunter2-secret' },
];

test.each<[string, Row[], string]>([
  ['a row in mode Fixo keeps its text unchanged', [fixed('result', '{matrix.total}')], '"{matrix.total}"'],
  ['text mode shows Moeda in Brazilian form', [text('result', 'R$ {matrix.total}')], '"R$ 1.234,50"'],
  ['a lone variable keeps its type', [text('a', '{matrix.count}'), formula('result', 'typeof {a}')], '"number"'],
  ['a lone Moeda stays Moeda', [text('a', '{matrix.total}'), text('result', '{a} a pagar')], '"1.234,50 a pagar"'],
  ['a lone list stays a list', [text('a', '{matrix.items}'), formula('result', '{a}.length')], '2'],
  [
    'a variable mixed with text gives text',
    [text('a', 'n{matrix.count}'), formula('result', 'typeof {a}')],
    '"string"',
  ],
  ['Moeda is a number in formulas', [formula('result', '{matrix.total} * 2')], '2469'],
  ['text enters a formula quoted', [formula('result', '{matrix.customer} + "!"')], '"Padaria "Sol"!"'],
  ['a field of an object is read by its path', [formula('result', '{matrix.payload.issue.title}')], '"Bug"'],
  ['a list index is part of a path', [text('result', '{matrix.payload.issue.labels.0.name}')], '"x"'],
  ['double braces are literal', [text('result', '{{matrix.total}}')], '"{{matrix.total}}"'],
  ['a row reads the rows above', [formula('a', '2'), formula('result', '{a} * 21')], '42'],
  ['Tipo converts the value', [{ ...fixed('result', '1.234,56'), type: 'Moeda' }], '1.234,56'],
  ['Tipo Lista splits the text', [{ ...fixed('a', 'x, y'), type: 'Lista' }, formula('result', '{a}.length')], '2'],
  [
    'an assignment converts to the type of its target',
    [{ ...fixed('matrix.count', '7,5'), assign: true }, formula('result', '{matrix.count} + 1')],
    '8.5',
  ],
  [
    'an assignment changes a flow variable',
    [formula('a', '1'), { ...formula('a', '{a} + 1'), assign: true }, formula('result', '{a}')],
    '2',
  ],
  ['a row cannot read a vault value', [text('result', '{vault.KEY}')], '"{vault.KEY}"'],
])('%s', async (_rule, rows, value) => {
  expect(await shown(rows, { matrix, vault: { KEY: 'vault-value' } })).toBe(value);
});

test.each<[string, Row[], string]>([
  [
    'a value that does not fit its Tipo fails the step and names the variable',
    [{ ...fixed('net', 'abc'), type: 'Moeda' }],
    'Step "rows": variable net: the value is not an amount',
  ],
  [
    'a formula that throws names the variable',
    [formula('net', 'null.x')],
    'Step "rows": variable net (line 1): cannot read property \'x\' of null',
  ],
  [
    'an assignment needs a target',
    [{ ...fixed('gone', '1'), assign: true }],
    'Step "rows": variable gone: is assigned but does not exist',
  ],
  [
    'a row cannot create a Matrix variable',
    [fixed('matrix.new', '1')],
    'Step "rows": variable matrix.new: a new variable cannot carry this prefix',
  ],
  [
    'a system variable cannot be assigned',
    [{ ...fixed('stepName', '1'), assign: true }],
    'Step "rows": variable stepName: is a system variable and cannot be set',
  ],
])('%s', async (_rule, rows, message) => {
  const end = await world.run([{ name: 'rows', type: 'variables', rows }], { matrix });
  expect(end).toMatchObject({ outcome: 'ERROR', errorStep: 'rows' });
  expect(end.errorMessage).toContain(message);
  expect(world.lines).toContainEqual(expect.objectContaining({ severity: 'ERROR', stepID: 'rows' }));
});
