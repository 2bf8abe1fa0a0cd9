import { copySteps, pasteSteps, readCopied } from './clipboard';
import type { DraftFlow } from '../../../flow/draft';

const TYPES = new Set(['rest', 'wait']);
const flow: DraftFlow = {
  start: 'a',
  steps: [
    {
      name: 'a',
      type: 'wait',
      seconds: 1,
      routes: [{ when: '{x}', to: 'b' }, { to: 'c' }],
    },
    { name: 'b', type: 'wait', seconds: 2, onError: [{ to: 'a' }] },
    { name: 'c', type: 'wait', seconds: 3 },
  ],
};
const stepsIn = (text: string) => {
  const read = readCopied(text, TYPES);
  return 'steps' in read ? read.steps : read.refusal;
};

test('copied steps come back with free names, and with their routes among each other', () => {
  const copied = stepsIn(copySteps(flow, ['b', 'a']));
  if (typeof copied === 'string') throw new Error(copied);
  const pasted = pasteSteps(flow, copied);
  expect(pasted.names).toEqual(['a 2', 'b 2']);
  expect(pasted.flow.steps.slice(3)).toEqual([
    {
      name: 'a 2',
      type: 'wait',
      seconds: 1,
      routes: [{ when: '{x}', to: 'b 2' }, { to: 'c' }],
    },
    { name: 'b 2', type: 'wait', seconds: 2, onError: [{ to: 'a 2' }] },
  ]);
  expect(pasted.flow.start).toBe('a');
});

test('steps that are pasted into an empty flow lose their routes to steps outside of the copy, and the first one becomes the start', () => {
  const pasted = pasteSteps({ start: '', steps: [] }, flow.steps.slice(0, 2));
  expect(pasted.flow).toEqual({
    start: 'a',
    steps: [
      {
        name: 'a',
        type: 'wait',
        seconds: 1,
        routes: [{ when: '{x}', to: 'b' }],
      },
      { name: 'b', type: 'wait', seconds: 2, onError: [{ to: 'a' }] },
    ],
  });
});

test('a whole flow and a single step are pasted as well', () => {
  expect(stepsIn(JSON.stringify(flow))).toEqual(flow.steps);
  expect(stepsIn(JSON.stringify(flow.steps[2]))).toEqual([flow.steps[2]]);
});

test.each([
  ['hello', 'not-steps'],
  ['{"steps":[]}', 'not-steps'],
  ['{"steps":[{"name":"a","type":"wait"},7]}', 'not-steps'],
  ['{"name":"","type":"wait"}', 'not-steps'],
  ['{"name":"a","type":"wait","routes":{"to":"b"}}', 'not-steps'],
  ['{"name":"a","type":"wait","rows":[{"__proto__":{"x":1}}]}', 'not-steps'],
  [`{"name":"a","type":"wait","x":${'['.repeat(70)}${']'.repeat(70)}}`, 'not-steps'],
  ['{"name":"a","type":"wait","seconds":1e400}', 'unheld-number'],
  ['{"name":"a","type":"wait","seconds":1e-400}', 'unheld-number'],
  ['{"name":"a","type":"shell"}', 'unknown-type'],
  [`{"steps":[${Array.from({ length: 501 }, () => '{"name":"a","type":"wait"}').join(',')}]}`, 'too-large'],
  [' '.repeat(1_048_577), 'too-large'],
])('the clipboard text %.60s is not pasted as steps', (text, refusal) => {
  expect(stepsIn(text)).toBe(refusal);
});
