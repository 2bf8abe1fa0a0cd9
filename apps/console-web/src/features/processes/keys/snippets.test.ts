import type { VariableAnswer } from '../../../api/generated/console-api';
import { exampleMatrix, START_SNIPPET_LANGUAGES, startSnippet } from './snippets';

const variable = (name: string, type: VariableAnswer['type'], value: unknown = null): VariableAnswer => ({
  id: name,
  name,
  type,
  default: value,
});

const facts = {
  gatewayURL: 'https://api.example.com/base/',
  processID: '0b9f',
  matrix: [variable('owner', 'Texto', `d'Ávila`), variable('paid', 'Verdadeiro/Falso', true), variable('x', 'Secreto')],
};

test('the Matrix of an example start has the default of each variable, and never the value of a Secreto', () => {
  const matrix = [variable('a', 'Texto', 'x'), variable('b', 'Número', 0), variable('s', 'Secreto', 'never')];
  expect(exampleMatrix(matrix)).toEqual({ a: 'x', b: 0, s: '…' });
});

test('an example start shows how a value without a default is written, because an empty text or list would say nothing', () => {
  const matrix = [
    variable('customer', 'Texto', ''),
    variable('count', 'Número'),
    variable('total', 'Moeda'),
    variable('items', 'Lista', []),
    variable('order', 'Objeto'),
  ];
  expect(exampleMatrix(matrix)).toEqual({
    customer: '<customer>',
    count: 12.5,
    total: '1.234,56',
    items: ['A', 'B'],
    order: { number: 1 },
  });
});

test.each(START_SNIPPET_LANGUAGES)(
  'the %s snippet has the real address and reads both secrets from the environment',
  (one) => {
    const snippet = startSnippet(one, facts);
    expect(snippet).toContain('https://api.example.com/base/v1/processes/0b9f/start');
    expect(snippet).toContain('BATUTA_CREDENTIAL');
    expect(snippet).toContain('BATUTA_PROCESS_KEY');
  },
);

test.each(START_SNIPPET_LANGUAGES)('the %s snippet has a process key that was just shown', (language) => {
  const snippet = startSnippet(language, { ...facts, processKey: 'bpk_1' });
  expect(snippet).toContain('bpk_1');
  expect(snippet).not.toContain('BATUTA_PROCESS_KEY');
});

test('an apostrophe in a default does not end the text of the shell', () => {
  expect(startSnippet('curl', facts)).toContain(String.raw`"owner":"d'\''Ávila"`);
});

test.each(START_SNIPPET_LANGUAGES)(
  'the %s snippet has no control character, which a terminal would obey',
  (language) => {
    const matrix = [variable('erased', 'Texto', 'a\u007f\u009b201~')];
    const snippet = startSnippet(language, { ...facts, matrix });
    expect(snippet).toContain(String.raw`a\u007f\u009b201~`);
    expect(snippet).not.toMatch(/[\u007f-\u009f]/);
  },
);

test('the Python snippet writes the words of Python', () => {
  expect(startSnippet('python', facts)).toContain(`{"owner": "d'Ávila", "paid": True, "x": "…"}`);
});
