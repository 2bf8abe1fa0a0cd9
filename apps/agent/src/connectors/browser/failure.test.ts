import { StepError } from '../../step-error';
import { reasonOf } from './failure';

const timeoutError = (log: string) =>
  new Error(`locator.click: Timeout 2000ms exceeded.\nCall log:\n\u001B[2m  - ${log}\u001B[22m`);

test.each<[string, unknown, string]>([
  ['nothing found', timeoutError("waiting for locator('#a')"), 'not done within 2 s: the selector finds nothing'],
  [
    'a covered element',
    timeoutError("waiting for locator('#a')\n - <div> intercepts pointer events"),
    'not done within 2 s: another element covers it',
  ],
  ['no log', new Error('page.goto: Timeout 30000ms exceeded.'), 'not done within 30 s'],
  [
    'several elements',
    new Error("locator.click: Error: strict mode violation: locator('a') resolved to 3 elements:\n 1) <a>"),
    'the selector finds 3 elements: make it more precise, or say which by nth',
  ],
  ['no connection', new Error('page.goto: net::ERR_ABORTED at http://x/\nCall log:'), 'net::ERR_ABORTED at http://x/'],
  [
    'a file',
    new Error('page.goto: Download is starting\nCall log:'),
    'the address gives a file: read it by a rest step, or by the action download',
  ],
  ['a step error', new StepError('own words'), 'own words'],
])('the reason of a failure with %s is said in words for the author', (_what, error, expected) => {
  expect(reasonOf(error)).toBe(expected);
});

test('the reason contains no value that was filled in', () => {
  expect(reasonOf(timeoutError('fill("s3cret")\n - waiting for locator("#a")'))).not.toContain('s3cret');
});
