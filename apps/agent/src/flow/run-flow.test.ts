import { ABILITY_WEBHOOK_RESPONSE } from '@batuta/agent-protocol';
import { STEP_TYPES, type Step, type StepType } from '@batuta/flow';
import { createFlowWorld, endWithOutcome, useSandbox, variablesStep, type FlowWorld } from '../../test/flow-world';
import { SUPPORTED_STEPS } from '../connectors/registry';

const sandbox = useSandbox();

let world: FlowWorld;
beforeEach(() => {
  world = createFlowWorld(sandbox);
});

const formulaRow = (name: string, value: string) => ({ name, mode: 'Fórmula' as const, value });
const textRow = (name: string, value: string) => ({ name, mode: 'Variável ou texto' as const, value });

const MATRIX_VALUES = [{ name: 'count', type: 'Número', value: 3 }];

describe('steps and routes', () => {
  test('a flow without routes ends after its first step', async () => {
    expect(await world.run([variablesStep('one'), variablesStep('two')])).toEqual(endWithOutcome('FINALIZED'));
    expect(world.messages()).not.toContain('two');
  });

  test('the first route whose condition holds is taken', async () => {
    const routes = [
      { when: '{matrix.count} > 5', to: 'many' },
      { when: '{matrix.count} > 1', to: 'some' },
      { to: 'few' },
    ];
    await world.run(
      [variablesStep('one', { routes }), variablesStep('many'), variablesStep('some'), variablesStep('few')],
      { matrix: MATRIX_VALUES },
    );
    expect(world.messages()).toContain('Step "one": goes on to "some", because {matrix.count} > 1 holds');
    expect(world.messages()).not.toContain('Step "many"');
  });

  test('the execution ends without error when no condition of a route holds', async () => {
    const end = await world.run([
      variablesStep('one', { routes: [{ when: 'false', to: 'two' }] }),
      variablesStep('two'),
    ]);
    expect(end).toEqual(endWithOutcome('FINALIZED'));
  });

  test('a terminate route ends the execution as terminated', async () => {
    expect(await world.run([variablesStep('one', { routes: [{ terminate: true }] })])).toEqual(
      endWithOutcome('TERMINATED'),
    );
  });

  test.each(['NaN', '""', '0', 'null', 'undefined'])('a condition that gives %s does not hold', async (when) => {
    const end = await world.run([variablesStep('one', { routes: [{ when, terminate: true }] })]);
    expect(end).toEqual(endWithOutcome('FINALIZED'));
  });

  test('a condition that throws fails the step and names the route', async () => {
    const end = await world.run([variablesStep('one', { routes: [{ when: 'missing > 1', terminate: true }] })]);
    expect(end).toMatchObject({ outcome: 'ERROR', errorStep: 'one' });
    expect(end.errorMessage).toContain('Step "one": condition of route 1 (line 1): ReferenceError');
  });

  test('a route to a step that does not exist ends the execution in error', async () => {
    const end = await world.run([variablesStep('one', { routes: [{ to: 'gone' }] })]);
    expect(end).toMatchObject({ outcome: 'ERROR', errorStep: 'gone' });
  });

  test('a failed step follows onError, which can read the error', async () => {
    const steps: Step[] = [
      { name: 'bad', type: 'script', code: 'throw new Error("no stock")', onError: [{ to: 'handle' }] },
      variablesStep('handle', { rows: [textRow('result', '{errorStep}: {errorDescription}')] }),
    ];
    expect(await world.run(steps)).toEqual(endWithOutcome('FINALIZED'));
    expect(world.messages()).toContain('result = "bad: script (line 1): no stock"');
  });

  test('the execution ends in error when no condition of an onError route holds', async () => {
    const steps: Step[] = [{ name: 'bad', type: 'script', code: 'throw 1', onError: [{ when: 'false', to: 'bad' }] }];
    expect(await world.run(steps)).toMatchObject({ outcome: 'ERROR', errorStep: 'bad' });
  });

  test('an onError route may terminate the execution', async () => {
    const steps: Step[] = [{ name: 'bad', type: 'script', code: 'throw 1', onError: [{ terminate: true }] }];
    expect(await world.run(steps)).toEqual(endWithOutcome('TERMINATED'));
  });

  test.each<[string, number | undefined, number]>([
    ["the agent's limit", undefined, 100],
    ["a flow's lower limit", 7, 7],
    ["the agent's limit when the flow's limit is higher", 500, 100],
  ])('%s ends an endless loop', async (_name, stepLimit, executed) => {
    const end = await world.run([variablesStep('loop', { routes: [{ to: 'loop' }] })], { stepLimit });
    expect(end).toMatchObject({ outcome: 'STEP_LIMIT_REACHED', errorStep: 'loop' });
    expect(world.lines.filter((line) => line.message === 'Step "loop": started')).toHaveLength(executed);
  });

  const SAMPLES: { [Type in StepType]: Extract<Step, { type: Type }> } = {
    variables: { name: 'later', type: 'variables' },
    script: { name: 'later', type: 'script', code: 'return 1' },
    rest: { name: 'later', type: 'rest', method: 'GET', url: 'http://127.0.0.1:1/' },
    database: { name: 'later', type: 'database', connection: 'c', sql: 's' },
    email: { name: 'later', type: 'email', server: 's', from: 'f', to: 't', subject: 's', text: '' },
    browser: { name: 'later', type: 'browser', actions: [{ action: 'closeTab' }] },
    wait: { name: 'later', type: 'wait', seconds: 0 },
    webhookResponse: { name: 'later', type: 'webhookResponse', body: '{}' },
  };
  test.each(Object.values<Step>(SAMPLES))('this version of the agent runs a step of the type $type', async (step) => {
    const end = await world.run([step]);
    expect(end.errorMessage).not.toBe(`Step "later": step type ${step.type} is not supported by this agent version`);
  });

  test('the abilities that the agent announces are those in the table of step types', () => {
    const abilities = Object.values(STEP_TYPES).map(({ ability }) => ability);
    expect(SUPPORTED_STEPS.toSorted()).toEqual(abilities.toSorted());
    expect(STEP_TYPES.webhookResponse.ability).toBe(ABILITY_WEBHOOK_RESPONSE);
  });

  test.each([
    undefined,
    null,
    'text',
    {},
    { start: 'a', steps: [] },
    { start: 'a', steps: [{ name: 'a', type: 'dance' }] },
  ])('the flow definition %j ends the execution in error', async (flow) => {
    const end = await world.run([], { flow });
    expect(end).toMatchObject({ outcome: 'ERROR', errorStep: null });
    expect(end.errorMessage).toContain('does not understand the flow');
  });
});

describe('script, wait and validation', () => {
  test('the result of a script is the value of its variable', async () => {
    const steps: Step[] = [
      {
        name: 's',
        type: 'script',
        code: 'const n = {matrix.count};\nreturn { n, twice: n * 2 };',
        as: 'sum',
        routes: [{ to: 'v' }],
      },
      variablesStep('v', { rows: [formulaRow('result', '{sum.twice} + {sum}.n')] }),
    ];
    await world.run(steps, { matrix: MATRIX_VALUES });
    expect(world.messages()).toContain('result = 9');
  });

  test('a script marked {JS} is not substituted', async () => {
    const steps: Step[] = [{ name: 's', type: 'script', code: '{JS} return "{matrix.count}"', as: 'x' }];
    await world.run(steps, { matrix: MATRIX_VALUES });
    expect(world.messages()).toContain('x = "{matrix.count}"');
  });

  test('a wait lasts its number of seconds', async () => {
    await world.run([{ name: 'w', type: 'wait', seconds: 2.5 }]);
    expect(world.slept).toEqual([2500]);
  });

  test('the routes of a step can read the result of its validation', async () => {
    const steps: Step[] = [
      variablesStep('one', {
        validation: 'return {execSteps} === 1',
        routes: [{ when: '{stepValidation}', terminate: true }],
      }),
    ];
    expect(await world.run(steps)).toEqual(endWithOutcome('TERMINATED'));
  });
});

test('an internal error of the agent ends the execution, and its details are only in the agent’s own log', async () => {
  const faults: string[] = [];
  const broken = {
    evaluateExpression: () => Promise.reject(new TypeError('inner detail')),
    runFunctionBody: () => Promise.reject(new TypeError('inner detail')),
  };
  world = createFlowWorld(broken, { logInternalError: (fault) => faults.push(fault) });
  const end = await world.run([{ name: 's', type: 'script', code: 'return 1' }]);
  expect(end).toMatchObject({ outcome: 'ERROR', errorMessage: 'Step "s": the agent failed unexpectedly' });
  expect(faults).toEqual([expect.stringContaining('inner detail')]);
  expect(world.messages()).not.toContain('inner detail');
});

test('each line of the log has a time in UTC, a severity and the name of its step', async () => {
  await world.run([
    { name: 'w', type: 'wait', seconds: 1, routes: [{ to: 'bad' }] },
    { name: 'bad', type: 'script', code: 'throw 1' },
  ]);
  const at = (second: number, severity: string, stepID: string) => ({
    timestamp: `2026-01-05T12:00:0${second}.000Z`,
    severity,
    stepID,
  });
  expect(world.lines).toMatchObject([
    at(0, 'INFO', 'w'),
    at(1, 'INFO', 'w'),
    at(1, 'INFO', 'w'),
    at(1, 'INFO', 'bad'),
    at(1, 'ERROR', 'bad'),
  ]);
});

test('system variables have the values of the execution', async () => {
  const names = [
    'processID',
    'processName',
    'instanceID',
    'currentUser',
    'stepName',
    'lastStep',
    'workflow',
    'startTime',
  ];
  const others = [
    'execSteps',
    'elapsedSeconds',
    'fastCheck',
    'urlChanged',
    'currentUrl',
    'lastErrorStatus',
    'error.evidence',
  ];
  const steps: Step[] = [
    { name: 'w', type: 'wait', seconds: 3, routes: [{ to: 'all' }] },
    variablesStep('all', { rows: [...names, ...others].map((name, n) => textRow(`v${n}`, `{${name}}`)) }),
  ];
  await world.run(steps);
  expect(world.messages()).toContain(
    'v0 = "p-1", v1 = "Orders", v2 = "i-1", v3 = "ERP", v4 = "all", v5 = "w", v6 = "w > all", v7 = "2026-01-05T12:00:00.000Z", ' +
      'v8 = 2, v9 = 3, v10 = false, v11 = false, v12 = "", v13 = empty, v14 = ""',
  );
});
