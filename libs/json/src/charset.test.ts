import { declaredCharset } from './charset';

test.each([
  [undefined, 'utf-8'],
  ['application/json', 'utf-8'],
  ['application/json; charset=', 'utf-8'],
  ['application/json;charset="UTF-8"', 'utf-8'],
  ['text/plain; format=flowed; CHARSET = Latin1', 'latin1'],
  ['application/json; charset=utf-16;x=1', 'utf-16'],
])('the Content-Type %j declares the charset %s', (type, charset) => {
  expect(declaredCharset(type)).toBe(charset);
});
