import { syntaxOf } from './field-syntax';

test.each([
  ['code', {}, 'code'],
  ['when', {}, 'code'],
  ['url', {}, 'text'],
  ['to', { type: 'email' }, 'text'],
  ['as', {}, 'plain'],
  ['value', { action: 'fill' }, 'text'],
  ['value', { mode: 'Fórmula' }, 'code'],
  ['value', { mode: 'Variável ou texto' }, 'text'],
  ['value', { mode: 'Fixo' }, 'plain'],
  ['', [], 'text'],
])('the text %s of %j is edited as %s', (key, parent, syntax) => {
  expect(syntaxOf(key, parent)).toBe(syntax);
});
