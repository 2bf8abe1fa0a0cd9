import { HiddenAnswer } from './hidden-answer';

test.each([
  ['Enter ends it', ['pass', ' wörd\r'], 'done', 'pass wörd'],
  ['a key erases the last character', ['pasx\u007fs\n'], 'done', 'pass'],
  ['nothing is left to erase', ['\u007f\u007fa\r'], 'done', 'a'],
  ['Control-U begins again', ['wrong\u0015right\r'], 'done', 'right'],
  ['Control-C interrupts it', ['pass\u0003'], 'interrupted', 'pass'],
  ['what follows Enter is left out', ['pass\rls\r'], 'done', 'pass'],
  ['it goes on without Enter', ['pass'], 'typing', 'pass'],
])('a hidden answer is read from the keys: %s', (_, typed, state, text) => {
  const answer = new HiddenAnswer();
  expect([typed.map((piece) => answer.type(piece)).at(-1), answer.text]).toEqual([state, text]);
});
