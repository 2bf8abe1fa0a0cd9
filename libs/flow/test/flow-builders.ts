import type { Flow, Row, Step } from '../src/definition/definition';
import { validateFlow } from '../src/validation/validate-flow';

const TEST_MATRIX = [
  { name: 'total', type: 'Moeda' },
  { name: 'payload', type: 'Objeto' },
];
export const problemsOf = (definition: unknown, known: { vaultKeys?: string[] } = {}) =>
  validateFlow(definition, { matrix: TEST_MATRIX, ...known }).problems;
export const row = (name: string, value = '1', fields: Partial<Row> = {}): Row => ({
  name,
  mode: 'Fixo',
  value,
  ...fields,
});
export const textRow = (name: string, value: string) => row(name, value, { mode: 'Variável ou texto' });
export const formulaRow = (name: string, value: string, fields: Partial<Row> = {}) =>
  row(name, value, { mode: 'Fórmula', ...fields });
export const flowOf = (...steps: Step[]): Flow => ({ start: steps[0]?.name ?? '', steps });
/** A flow whose first step has these rows. Its second step, `call`, has the result `reply` and creates the variable `later`. */
export const withRows = (...rows: Row[]) =>
  flowOf(
    { name: 'first', type: 'variables', rows, routes: [{ to: 'call' }] },
    {
      name: 'call',
      type: 'rest',
      method: 'GET',
      url: 'http://127.0.0.1/',
      as: 'reply',
      rows: [row('later')],
    },
  );
