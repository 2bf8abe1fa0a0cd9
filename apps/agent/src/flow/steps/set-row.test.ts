import type { Row } from '@batuta/flow';
import { createFlowWorld, useSandbox, type FlowWorld } from '../../../test/flow-world';

const sandbox = useSandbox();

let world: FlowWorld;
beforeEach(() => {
  world = createFlowWorld(sandbox);
});

const formulaRow = (name: string, value: string) => ({ name, mode: 'Fórmula' as const, value });
const textRow = (name: string, value: string) => ({ name, mode: 'Variável ou texto' as const, value });
const fixedRow = (name: string, value: string) => ({ name, mode: 'Fixo' as const, value });

/** The value of an expression over the variables, as the log shows it. */
const shownValue = async (rows: Row[], work: Parameters<FlowWorld['run']>[1] = {}): Promise<string> => {
  const end = await world.run([{ name: 'rows', type: 'variables', rows }], work);
  if (end.outcome !== 'FINALIZED') return end.errorMessage ?? end.outcome;
  return /result = (.*)$/m.exec(world.messages())?.[1] ?? 'nothing';
};

const MATRIX_VALUES = [
  { name: 'total', type: 'Moeda', value: 1234.5 },
  { name: 'count', type: 'Número', value: 3 },
  { name: 'customer', type: 'Texto', value: 'Padaria "Sol"' },
  { name: 'items', type: 'Lista', value: ['a', 'b'] },
  { name: 'payload', type: 'Objeto', value: { issue: { title: 'Bug', labels: [{ name: 'x' }] } } },
  { name: 'token', type: 'Secreto', value: 'hunter2-secret' },
];

test.each<[string, Row[], string]>([
  ['a row in mode Fixo keeps its text unchanged', [fixedRow('result', '{matrix.total}')], '"{matrix.total}"'],
  ['text mode shows Moeda in Brazilian form', [textRow('result', 'R$ {matrix.total}')], '"R$ 1.234,50"'],
  ['a lone variable keeps its type', [textRow('a', '{matrix.count}'), formulaRow('result', 'typeof {a}')], '"number"'],
  [
    'a lone Moeda stays Moeda',
    [textRow('a', '{matrix.total}'), textRow('result', '{a} a pagar')],
    '"1.234,50 a pagar"',
  ],
  ['a lone list stays a list', [textRow('a', '{matrix.items}'), formulaRow('result', '{a}.length')], '2'],
  [
    'a variable mixed with text gives text',
    [textRow('a', 'n{matrix.count}'), formulaRow('result', 'typeof {a}')],
    '"string"',
  ],
  ['Moeda is a number in formulas', [formulaRow('result', '{matrix.total} * 2')], '2469'],
  ['text enters a formula quoted', [formulaRow('result', '{matrix.customer} + "!"')], '"Padaria "Sol"!"'],
  ['a field of an object is read by its path', [formulaRow('result', '{matrix.payload.issue.title}')], '"Bug"'],
  ['a list index is part of a path', [textRow('result', '{matrix.payload.issue.labels.0.name}')], '"x"'],
  ['double braces are literal', [textRow('result', '{{matrix.total}}')], '"{{matrix.total}}"'],
  ['a row reads the rows above', [formulaRow('a', '2'), formulaRow('result', '{a} * 21')], '42'],
  ['Tipo converts the value', [{ ...fixedRow('result', '1.234,56'), type: 'Moeda' }], '1.234,56'],
  [
    'Tipo Lista splits the text',
    [{ ...fixedRow('a', 'x, y'), type: 'Lista' }, formulaRow('result', '{a}.length')],
    '2',
  ],
  [
    'an assignment converts to the type of its target',
    [{ ...fixedRow('matrix.count', '7,5'), assign: true }, formulaRow('result', '{matrix.count} + 1')],
    '8.5',
  ],
  [
    'an assignment changes a flow variable',
    [formulaRow('a', '1'), { ...formulaRow('a', '{a} + 1'), assign: true }, formulaRow('result', '{a}')],
    '2',
  ],
  ['a row cannot read a vault value', [textRow('result', '{vault.KEY}')], '"{vault.KEY}"'],
])('a row sets its variable: %s', async (_rule, rows, value) => {
  expect(await shownValue(rows, { matrix: MATRIX_VALUES, vault: { KEY: 'vault-value' } })).toBe(value);
});

test.each<[string, Row[], string]>([
  [
    'a value that does not fit its Tipo fails the step and names the variable',
    [{ ...fixedRow('net', 'abc'), type: 'Moeda' }],
    'Step "rows": variable net: the value is not an amount',
  ],
  [
    'a formula that throws names the variable',
    [formulaRow('net', 'null.x')],
    'Step "rows": variable net (line 1): cannot read property \'x\' of null',
  ],
  [
    'an assignment needs a target',
    [{ ...fixedRow('gone', '1'), assign: true }],
    'Step "rows": variable gone: is assigned but does not exist',
  ],
  [
    'a row cannot create a Matrix variable',
    [fixedRow('matrix.new', '1')],
    'Step "rows": variable matrix.new: a new variable cannot carry this prefix',
  ],
  [
    'a system variable cannot be assigned',
    [{ ...fixedRow('stepName', '1'), assign: true }],
    'Step "rows": variable stepName: is a system variable and cannot be set',
  ],
])('a row that breaks a rule fails its step: %s', async (_rule, rows, message) => {
  const end = await world.run([{ name: 'rows', type: 'variables', rows }], { matrix: MATRIX_VALUES });
  expect(end).toMatchObject({ outcome: 'ERROR', errorStep: 'rows' });
  expect(end.errorMessage).toContain(message);
  expect(world.lines).toContainEqual(expect.objectContaining({ severity: 'ERROR', stepID: 'rows' }));
});
