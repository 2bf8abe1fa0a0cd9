import type { StepOf } from '../definition/definition';
import { BROWSER_ACTION_NAMES, BROWSER_ACTION_SCHEMAS } from '../definition/steps/browser-actions';
import { validateFlow } from './validate-flow';

type Actions = StepOf<'browser'>['actions'];

const matrix = [
  { name: 'order', type: 'Objeto' },
  { name: 'customer', type: 'Texto' },
];
const problemsOf = (actions: unknown[], as?: string) => {
  const step = { name: 'look', type: 'browser', actions, ...(as !== undefined && { as }) };
  return validateFlow({ start: 'look', steps: [step] }, { matrix }).problems.map(
    ({ path, message }) => `${path.replace('/steps/0/', '')}: ${message}`,
  );
};

const READ_TITLE: Actions[number] = { action: 'readText', selector: 'h1' };
const READ_INTO_TITLE: Actions[number] = { ...READ_TITLE, into: 'title' };
const DOWNLOAD: Actions[number] = { action: 'download', selector: 'a' };

test.each<[string, Actions, string | undefined]>([
  ['one value as the whole result', [READ_TITLE], 'page'],
  ['several values in fields', [READ_INTO_TITLE, { ...READ_INTO_TITLE, into: 'other' }], 'page'],
  ['a value and a file', [READ_TITLE, DOWNLOAD], 'page'],
  ['actions that give nothing', [{ action: 'open', url: 'https://x/{currentUrl}' }, { action: 'closeTab' }], undefined],
])('a browser step may have %s', (_rule, actions, as) => {
  expect(problemsOf(actions, as)).toEqual([]);
});

test.each<[string, unknown[], string | undefined, string]>([
  ['reads without an as', [READ_INTO_TITLE], undefined, 'actions/0: gives a value, but the step has no as'],
  ['downloads without an as', [DOWNLOAD], undefined, 'actions/0: gives a value, but the step has no as'],
  [
    'reads several values into one',
    [READ_INTO_TITLE, READ_TITLE],
    'page',
    'actions/1/into: is required where the actions of a step',
  ],
  ['downloads twice', [DOWNLOAD, DOWNLOAD], 'page', 'actions/1: must be the only download of its step'],
  [
    'waits for nothing',
    [{ action: 'waitFor', timeoutSeconds: 3 }],
    undefined,
    'actions/0: needs a selector, a text or a url',
  ],
  ['has an action that does not exist', [{ action: 'dance' }], 'page', 'actions/0/action: must be one of ["open",'],
  ['lacks a field of its action', [{ action: 'fill', selector: '#a' }], 'page', 'actions/0/value: is required'],
  [
    'has a field of another action',
    [{ ...READ_TITLE, url: 'x' }],
    'page',
    'actions/0/url: is not a field that exists here',
  ],
  ['has no action', [], 'page', 'actions: must not be empty'],
])('a browser step that %s is a problem', (_rule, actions, as, message) => {
  expect(problemsOf(actions, as)).toEqual([expect.stringContaining(message)]);
});

test.each(BROWSER_ACTION_SCHEMAS.map(({ properties, examples }) => [properties.action.const, examples] as const))(
  'the example of %s in the schema has no problem',
  (name, examples) => {
    expect(problemsOf([...examples], 'page').filter((problem) => !/no variable of this name/.test(problem))).toEqual(
      [],
    );
    expect(BROWSER_ACTION_NAMES).toContain(name);
  },
);
