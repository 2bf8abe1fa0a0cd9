import { fieldName } from './field-name';

test.each([
  ['url', 'Endereço'],
  ['matrix.total', 'Valores › total'],
  ['signature.secret', 'Segredo'],
  ['gone', 'gone'],
  ['constructor', 'constructor'],
])('the field %s has the name %s', (path, name) => {
  const labels = { url: 'Endereço', matrix: 'Valores', 'signature.secret': 'Segredo' };
  expect(fieldName(path, labels)).toBe(name);
});
