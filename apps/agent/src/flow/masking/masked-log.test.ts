import type { Row, Step } from '@batuta/flow';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';

const sandbox = useSandbox({ workers: 1 });

const SECRET = 'hunter2-secret';
const MATRIX_VALUES = [
  { name: 'token', type: 'Secreto', value: SECRET },
  { name: 'open', type: 'Texto', value: 'public' },
];
const rowsStep = (...list: Row[]): Step => ({ name: 'rows', type: 'variables', rows: list });
const logOfStep = async (step: Step) => {
  const world = createFlowWorld(sandbox);
  const end = await world.run([step], { matrix: MATRIX_VALUES, vault: { KEY: 'vault-value-1' } });
  return { end, text: `${world.messages()}\n${end.errorMessage}` };
};

test.each<[string, Step]>([
  ['a copy', rowsStep({ name: 'a', mode: 'Variável ou texto', value: '{matrix.token}' })],
  ['a text around it', rowsStep({ name: 'a', mode: 'Variável ou texto', value: 'Bearer {matrix.token}!' })],
  ['a formula over it', rowsStep({ name: 'a', mode: 'Fórmula', value: '"{matrix.token}".toUpperCase()' })],
  ['its reverse', rowsStep({ name: 'a', mode: 'Fórmula', value: '[...{matrix.token}].reverse().join("")' })],
  ['a script that returns it', { name: 's', type: 'script', code: 'return { t: {matrix.token} }', as: 'a' }],
  ['a script that throws it', { name: 's', type: 'script', code: 'throw new Error("bad " + {matrix.token})' }],
  ['a formula that throws it', rowsStep({ name: 'a', mode: 'Fórmula', value: '(() => { throw {matrix.token} })()' })],
  [
    'a script that throws it after much text',
    { name: 's', type: 'script', code: 'throw new Error("x".repeat(1990) + {matrix.token})' },
  ],
  ['a validation that returns it', { ...rowsStep(), validation: 'return {matrix.token}' }],
  [
    'a value that does not fit',
    rowsStep({ name: 'a', mode: 'Variável ou texto', value: '{matrix.token} ', type: 'Número' }),
  ],
  ['a script with a vault value', { name: 's', type: 'script', code: 'return "{vault.KEY}"', as: 'a' }],
])('the log of %s does not show a secret', async (_what, step) => {
  const { text } = await logOfStep(step);
  expect(text).not.toMatch(/hunter2|HUNTER2|terces|vault-value/i);
  expect(text).toMatch(/•••|the value is not a number/);
});

test.each([
  ['contains a secret stays whole', 'pay 2', 'pay 2'],
  ['is a secret is hidden', '2', '•••'],
])('the name of a step that %s in every line and in the end', async (_rule, name, shown) => {
  const world = createFlowWorld(sandbox);
  const first: Step = { ...rowsStep(), routes: [{ to: name }] };
  const step: Step = { name, type: 'script', code: 'throw new Error("not " + {matrix.token})' };
  const end = await world.run([first, step], { matrix: [{ name: 'token', type: 'Secreto', value: '2' }] });
  expect(end).toMatchObject({
    errorStep: shown,
    errorMessage: expect.stringMatching(`^Step "${shown}": script.*: not •••$`),
  });
  expect(new Set(world.lines.map(({ stepID }) => stepID))).toEqual(new Set(['rows', shown]));
  expect(world.messages()).toContain(`Step "rows": goes on to "${shown}"`);
  expect(world.messages()).toContain(`Step "${shown}": started`);
});

test('the value of a sensitive row is hidden everywhere in the log', async () => {
  const { text } = await logOfStep(
    rowsStep(
      { name: 'salary', mode: 'Fixo', value: '4.500,00', type: 'Moeda', sensitive: true },
      { name: 'letter', mode: 'Variável ou texto', value: 'earns {salary}' },
      { name: 'open', mode: 'Fixo', value: 'nothing to hide' },
    ),
  );
  expect(text).toContain('salary = •••, letter = •••, open = "nothing to hide"');
  expect(text).not.toMatch(/4\.?500/);
});

test('a boolean that is made from a secret does not hide every boolean', async () => {
  const { text } = await logOfStep(
    rowsStep(
      { name: 'has', mode: 'Fórmula', value: '{matrix.token} !== ""' },
      { name: 'other', mode: 'Fórmula', value: 'true' },
    ),
  );
  expect(text).toContain('has = •••, other = true');
});
