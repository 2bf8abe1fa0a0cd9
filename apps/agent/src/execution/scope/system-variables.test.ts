import type { Row, Step } from '@batuta/flow';
import { createFlowWorld, useSandbox, type FlowWorld } from '../../../test/flow-world';

const sandbox = useSandbox({ workers: 1 });

let world: FlowWorld;
beforeEach(() => {
  const fetcher = () => Promise.resolve(new Response('no such order', { status: 404 }));
  world = createFlowWorld(sandbox, { fetch: fetcher });
});

const showStep = (value: string, fields: Partial<Extract<Step, { type: 'variables' }>> = {}): Step => ({
  name: 'show',
  type: 'variables',
  rows: [{ name: 'shown', mode: 'Variável ou texto', value } satisfies Row],
  ...fields,
});
const waitStep = (name: string, to: string, seconds = 0): Step => ({ name, type: 'wait', seconds, routes: [{ to }] });
const shownValues = () => [...world.messages().matchAll(/shown = (.*)/g)].map(([, value]) => value);

test.each<[string, string]>([
  ['processID', '"p-1"'],
  ['processName', '"Orders"'],
  ['instanceID', '"i-1"'],
  ['currentUser', '"ERP"'],
  ['stepName', '"show"'],
  ['lastStep', '"second"'],
  ['execSteps', '3'],
  ['workflow', '"first > second > show"'],
  ['startTime', '"2026-01-05T12:00:00.000Z"'],
  ['elapsedSeconds', '3'],
])('{%s} has the value of the execution at the step', async (name, value) => {
  await world.run([waitStep('first', 'second', 1.5), waitStep('second', 'show', 2.4), showStep(`{${name}}`)]);
  expect(shownValues()).toEqual([value]);
});

test('in the first step {lastStep} is empty, one step has run, and no time has passed', async () => {
  await world.run([showStep('[{lastStep}] {execSteps} {workflow} {elapsedSeconds}')]);
  expect(shownValues()).toEqual(['"[] 1 show 0"']);
});

test('{elapsedSeconds} and durations in the log are right after the clock of the machine was set back', async () => {
  let today = Date.UTC(2026, 0, 5, 12);
  const fetcher = () => Promise.resolve(new Response('{}'));
  world = createFlowWorld(sandbox, { fetch: fetcher, now: () => (today -= 3_600_000) });
  await world.run([
    waitStep('first', 'call', 3.9),
    { name: 'call', type: 'rest', method: 'GET', url: 'http://x/7', routes: [{ to: 'show' }] },
    showStep('{elapsedSeconds}'),
  ]);
  expect(shownValues()).toEqual(['3']);
  expect(world.messages()).toMatch(/GET http:\/\/x\/7 .* in 0 ms/);
});

test('before a browser step has run {currentUrl} is empty, and {fastCheck} and {urlChanged} are false', async () => {
  await world.run([showStep('[{currentUrl}] {fastCheck} {urlChanged}')]);
  expect(shownValues()).toEqual(['"[] false false"']);
});

test('a step that runs again is counted again, and appears again in the trail', async () => {
  const again = { when: '{execSteps} < 5', to: 'show' };
  await world.run([
    showStep('{execSteps} {lastStep} {workflow}', { routes: [again, { to: 'last' }] }),
    { ...showStep(''), name: 'last', rows: [] },
  ]);
  expect(shownValues().at(-1)).toBe('"5 show show > show > show > show > show"');
});

test('{error.evidence} and {error.evidence_BUFFER} are empty without a picture, also after an error', async () => {
  const empty = '[{error.evidence}{error.evidence_BUFFER}]';
  await world.run([
    showStep(empty, { routes: [{ to: 'bad' }] }),
    { name: 'bad', type: 'script', code: 'throw 1', onError: [{ to: 'after' }] },
    { ...showStep(empty), name: 'after' },
  ]);
  expect(shownValues()).toEqual(['"[]"', '"[]"']);
});

test('{lastErrorStatus}, {errorStep} and {errorDescription} are those of the last error, in later steps too', async () => {
  const call: Step = { name: 'call', type: 'rest', method: 'GET', url: 'http://x/7', onError: [{ to: 'pause' }] };
  const error = '[{lastErrorStatus}] [{errorStep}] [{errorDescription}]';
  await world.run([
    showStep(error, { routes: [{ to: 'call' }] }),
    call,
    waitStep('pause', 'bad'),
    {
      name: 'bad',
      type: 'script',
      code: `if ("${error}" !== "x") throw new Error("${error}")`,
      onError: [{ to: 'end' }],
    },
    { name: 'end', type: 'variables', rows: [{ name: 'last', mode: 'Variável ou texto', value: error }] },
  ]);
  expect(shownValues()).toEqual(['"[] [] []"']);
  expect(world.messages()).toContain('[404] [call] [GET http://x/7 answered 404: no such order]');
  expect(world.messages()).toMatch(/last = "\[\] \[bad\] \[script \(line 1\): \[404\] \[call\]/);
});

describe('validation', () => {
  test('{stepValidation} is empty before any validation, and then has the result of the last one', async () => {
    await world.run([
      showStep('[{stepValidation}]', { routes: [{ to: 'check' }] }),
      {
        name: 'check',
        type: 'wait',
        seconds: 0,
        validation: 'return { ok: false, why: "late" }',
        routes: [{ to: 'end' }],
      },
      {
        name: 'end',
        type: 'variables',
        rows: [{ name: 'last', mode: 'Fórmula', value: '{stepValidation.why} + {stepValidation}.ok' }],
      },
    ]);
    expect(shownValues()).toEqual(['"[]"']);
    expect(world.messages()).toContain('last = "latefalse"');
  });

  test('the validation of a step runs after its action and reads the result', async () => {
    const validation = 'return {sum} === 3';
    const routes = [{ when: '{stepValidation}', terminate: true as const }];
    const end = await world.run([{ name: 's', type: 'script', code: 'return 1 + 2', as: 'sum', validation, routes }]);
    expect(end.outcome).toBe('TERMINATED');
  });

  test('{stepValidation} is not set by a script that throws, which fails the step', async () => {
    const end = await world.run([{ name: 's', type: 'wait', seconds: 0, validation: 'throw new Error("late")' }]);
    expect(end).toMatchObject({ outcome: 'ERROR', errorMessage: 'Step "s": validation (line 1): late' });
  });
});

test.each([
  ['a condition', '{JS} "{stepName}" === "{" + "stepName}"'],
  ['a condition with a line break before the marker', '\n{JS}"{execSteps}".length === 11'],
])('{JS} at the beginning of %s switches substitution off', async (_where, when) => {
  const end = await world.run([{ name: 's', type: 'wait', seconds: 0, routes: [{ when, terminate: true }] }]);
  expect(end.outcome).toBe('TERMINATED');
});
