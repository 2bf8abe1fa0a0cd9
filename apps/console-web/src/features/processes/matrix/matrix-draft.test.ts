import { CallError } from '../../../api/error';
import type { VariableAnswer } from '../../../api/generated/console-api';
import {
  matrixDraftOf,
  inputOf,
  isChanged,
  labelsOf,
  moveRow,
  nameProblems,
  newVariable,
  readDefault,
  refusedRow,
  type DraftVariable,
} from './matrix-draft';

const SAVED: VariableAnswer[] = [
  { id: '1', name: 'total', type: 'Moeda', default: 1234.5 },
  { id: '2', name: 'rate', type: 'Número', default: 0.125 },
  { id: '3', name: 'items', type: 'Lista', default: ['a, b', 1] },
  { id: '4', name: 'pin', type: 'Secreto', default: '' },
];

const row = (change: Partial<DraftVariable>): DraftVariable => ({ ...newVariable('new'), ...change });

test('the Matrix editor shows defaults as people write them in Brazil', () => {
  expect(matrixDraftOf(SAVED).map(({ text }) => text)).toEqual(['1.234,50', '0,125', '["a, b",1]', '']);
});

test('untouched defaults of a Matrix are sent as they were read and do not count as changed', () => {
  const rows = matrixDraftOf(SAVED);
  expect(isChanged(rows, SAVED)).toBe(false);
  expect(inputOf(rows, SAVED).map((variable) => variable.default)).toEqual([1234.5, 0.125, ['a, b', 1], null]);
});

test('a renamed Matrix variable keeps its id, and its changed default is sent as text', () => {
  const [first] = matrixDraftOf(SAVED);
  expect(inputOf([row({ ...first, name: 'amount', text: 'R$ 2' })], SAVED)).toEqual([
    { id: '1', name: 'amount', type: 'Moeda', default: 'R$ 2' },
  ]);
});

test('a Matrix variable that another user removed meanwhile is sent without its id, so that it is created again', () => {
  expect(inputOf(matrixDraftOf(SAVED).slice(0, 1), [])).toEqual([{ name: 'total', type: 'Moeda', default: 1234.5 }]);
});

test('malformed and duplicate names of Matrix variables are reported by row', () => {
  const rows = [row({ key: 'a', name: 'x' }), row({ key: 'b', name: 'x' }), row({ key: 'c', name: 'não' })];
  expect([...nameProblems(rows)]).toEqual([
    ['b', 'taken'],
    ['c', 'malformed'],
  ]);
});

test('a default text that does not fit the type of its variable has no value', () => {
  expect(readDefault('Moeda', 'R$ 1.234,56')).toEqual({ value: 1234.56 });
  expect(readDefault('Objeto', '{"a":')).toBeUndefined();
});

test('rows of the Matrix editor move by one place, and not beyond the ends', () => {
  const rows = matrixDraftOf(SAVED);
  expect(moveRow(rows, '1', 1).map(({ key }) => key)).toEqual(['2', '1', '3', '4']);
  expect(moveRow(rows, '1', -1)).toEqual(rows);
});

test.each([
  ['matrix.1.name: is the name of a system variable', '2', 'is the name of a system variable'],
  ['total: "x" is not an amount of money', '1', '"x" is not an amount of money'],
])('the refusal of a Matrix belongs to the row that it names: %s', (message, key, text) => {
  expect(refusedRow(matrixDraftOf(SAVED), new CallError(400, 'BAD_REQUEST', message))).toEqual({ key, text });
});

test('a field of a row is called by the name of its variable, or by its number while it has none', () => {
  const labels = labelsOf([row({ name: 'total' }), row({})], { name: 'Nome', type: 'Tipo', default: 'Padrão' });
  expect(labels).toMatchObject({ 'matrix.0.default': 'total › Padrão', 'matrix.1.name': '2 › Nome' });
});
