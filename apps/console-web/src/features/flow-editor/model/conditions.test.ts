import { conjunctionOf, readsResultOf } from './conditions';

test.each([
  [undefined, undefined, undefined],
  ['{a} > 1', undefined, '{a} > 1'],
  [undefined, '{b}', '{b}'],
  ['{a} || {b}', '{c}', '({a} || {b}) && ({c})'],
  ['{a} // why', '{c}', '({a} // why\n) && ({c})'],
  ['{JS} 1 > 0', '{JS}true', '{JS}(1 > 0) && (true)'],
  ['{JS}1 > 0', '2 > 1', '{JS}(1 > 0) && (2 > 1)'],
  ['{JS}1 > 0', '{a}', undefined],
  [' {JS}1 > 0', '\n{JS} true', '{JS}(1 > 0) && (true)'],
])('the conditions %j and %j are joined to %j', (first, second, together) => {
  expect(conjunctionOf(first, second)).toBe(together);
});

test('a condition reads the result of a step by the step’s variable, its rows or the variables of its connector', () => {
  const step = {
    name: 'call',
    type: 'rest',
    as: 'reply',
    rows: [{ name: 'total' }, { name: 'matrix.x', assign: true }],
  };
  expect(readsResultOf(step, '{reply.status} == 201')).toBe(true);
  expect(readsResultOf(step, '{total} > 1')).toBe(true);
  expect(readsResultOf(step, '{connector.rowCount} > 0')).toBe(true);
  expect(readsResultOf(step, '{stepValidation} === false')).toBe(true);
  expect(readsResultOf(step, '{matrix.x} && {replyOther}')).toBe(false);
});
