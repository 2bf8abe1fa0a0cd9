import { MAX_LOG_MESSAGE_CHARACTERS, MAX_RESPONSE_BYTES } from '@batuta/agent-protocol';
import type { Step } from '@batuta/flow';
import { createFlowWorld, type FlowWorld } from '../../../test/flow-world';

/**
 * The result of every formula. It is too short to be masked in texts; only the masked view of the variables hides it.
 */
const FORMULA_RESULT = '42';
const fixedCodeRunner = {
  evaluateExpression: () => Promise.resolve(FORMULA_RESULT),
  runFunctionBody: () => Promise.resolve(FORMULA_RESULT),
};
const SECRET = 'hunter2-secret';
const MATRIX_VALUES = [
  { name: 'name', type: 'Texto', value: 'Ana "A"' },
  { name: 'total', type: 'Moeda', value: 1234.5 },
  { name: 'list', type: 'Lista', value: [1, 'a'] },
  { name: 'payload', type: 'Objeto', value: { order: { id: 7 } } },
  { name: 'token', type: 'Secreto', value: SECRET },
  { name: 'pin', type: 'Secreto', value: '12' },
];
const VAULT_VALUES = { KEY: 'vault-value-1' };

let world: FlowWorld;
beforeEach(() => {
  world = createFlowWorld(fixedCodeRunner);
});

const responseStep = (body: string, rest: { name?: string; code?: 201 | 422 | null; to?: string } = {}): Step => ({
  name: rest.name ?? 'answer',
  type: 'webhookResponse',
  body,
  ...(rest.code !== undefined && { code: rest.code }),
  ...(rest.to !== undefined && { routes: [{ to: rest.to }] }),
});
const runSteps = (steps: Step[], awaited = true) =>
  world.run(steps, { matrix: MATRIX_VALUES, vault: VAULT_VALUES, awaited });
const stepAfterAnswer: Step = { name: 'after', type: 'variables' };

describe('while a caller waits', () => {
  test.each<[string, string]>([
    ['{"name": "{{matrix.name}}", "total": {{matrix.total}}}', '{"name": "Ana \\"A\\"", "total": 1234.50}'],
    ['[{{matrix.list}}, {{matrix.payload.order.id}}, {{nothing}}]', '[[1,"a"], 7, null]'],
    ['{{matrix.payload}}', '{"order":{"id":7}}'],
    [
      '{"id": "{{instanceID}}", "key": "{{vault.KEY}}", "token": {{matrix.token}}}',
      `{"id": "i-1", "key": "vault-value-1", "token": "${SECRET}"}`,
    ],
  ])('%s is sent with its variables, unmasked', async (template, body) => {
    await runSteps([responseStep(template)]);
    expect(world.answers).toMatchObject([{ code: 200, body, linesBefore: 1 }]);
  });

  test.each<[string, string, string | null]>([
    ['a vault value', '{"key": "{{vault.KEY}}"}', '{"key": "•••"}'],
    ['a Secreto within a text', '{"token": "Bearer {{matrix.token}}"}', '{"token": "Bearer •••"}'],
    ['a Secreto of two characters', '["{{matrix.pin}}", "n{{matrix.pin}}"]', '["•••", "n•••"]'],
    ['a sensitive row', '{"salary": {{salary}}, "n": 9876}', '{"salary": "•••", "n": 9876}'],
    ['a lone sensitive variable with JSON', '{{object}}', '"•••"'],
    ['a value that a formula made from a Secreto', '{"pin": "{{made}}"}', '{"pin": "•••"}'],
    ['a copy of a Secreto', `["{{copy}}"]`, '["with ••• inside"]'],
    ['nothing to hide', '{"name": "{{matrix.name}}", "n": 1.0}', null],
    ['no JSON', '{{matrix.name}}{{matrix.token}}', null],
  ])('with %s a masked copy goes beside the answer', async (_what, template, masked) => {
    const rows: Step['rows'] = [
      { name: 'salary', mode: 'Fixo', value: '98', type: 'Número', sensitive: true },
      { name: 'object', mode: 'Fixo', value: '{"salary":98}', type: 'Objeto', sensitive: true },
      { name: 'made', mode: 'Fórmula', value: '{matrix.token}.length' },
      { name: 'copy', mode: 'Fixo', value: `with ${SECRET} inside` },
    ];
    await runSteps([{ ...responseStep(template), rows }]);
    expect(world.answers).toMatchObject([{ masked }]);
  });

  test.each([
    [undefined, 200],
    [null, 200],
    [422, 422],
  ] as const)('the code %s is sent as %i', async (given, sent) => {
    await runSteps([responseStep('{}', { code: given })]);
    expect(world.answers).toMatchObject([{ code: sent }]);
  });

  test('the log shows the code and the size of the answer, and not its body', async () => {
    await runSteps([responseStep('{"name": "{{matrix.name}}"}', { code: 201 })]);
    expect(world.messages()).toContain('INFO Step "answer": answered the caller with 201 and 21 bytes');
    expect(world.messages()).not.toContain('Ana');
  });

  test('the execution continues after the answer', async () => {
    const end = await runSteps([responseStep('{}', { to: 'after' }), stepAfterAnswer]);
    expect(end.outcome).toBe('FINALIZED');
    expect(world.messages()).toContain('Step "after": started');
  });

  test('the first of several steps answers, and the log of the others says so', async () => {
    await runSteps([responseStep('1', { to: 'second' }), responseStep('2', { name: 'second', code: 201 })]);
    expect(world.answers).toMatchObject([{ body: '1' }]);
    expect(world.messages()).toContain(
      'INFO Step "second": sent no response, because an earlier step was the first: 201',
    );
  });

  test('a step in a loop answers once', async () => {
    const end = await world.run([responseStep('1', { to: 'answer' })], { awaited: true, stepLimit: 3 });
    expect(end.outcome).toBe('STEP_LIMIT_REACHED');
    expect(world.answers).toHaveLength(1);
  });

  test('a body that is not JSON is sent for the service to validate, with a warning in the log', async () => {
    await runSteps([
      responseStep('{"a": {{matrix.name}}{{matrix.name}}}', { to: 'second' }),
      responseStep('2', { name: 'second' }),
    ]);
    expect(world.answers).toMatchObject([{ body: '{"a": "Ana \\"A\\"""Ana \\"A\\""}' }]);
    expect(world.messages()).toMatch(/WARNING Step "answer": body: is not valid JSON .*502 INVALID_RESPONSE/);
  });

  test('an execution that is stopped before the step sends no answer', async () => {
    world.control.setDesired('stop');
    expect((await runSteps([responseStep('{}')])).outcome).toBe('STOPPED');
    expect(world.answers).toEqual([]);
  });
});

describe('size', () => {
  const runWithLargeBody = (value: string, awaited = true) =>
    world.run([responseStep('"{{matrix.big}}"', { to: 'small' }), responseStep('"small"', { name: 'small' })], {
      matrix: [{ name: 'big', type: 'Texto', value }],
      awaited,
    });

  test.each([
    ['one byte a character', 'x'.repeat(MAX_RESPONSE_BYTES - 2)],
    ['two bytes a character', 'ç'.repeat(MAX_RESPONSE_BYTES / 2 - 1)],
  ])('a body of the maximum size is sent: %s', async (_what, value) => {
    await runWithLargeBody(value);
    expect(world.answers).toMatchObject([{ body: `"${value}"` }]);
  });

  test.each([
    ['one byte a character', 'x'.repeat(MAX_RESPONSE_BYTES - 1)],
    ['two bytes a character', 'ç'.repeat(MAX_RESPONSE_BYTES / 2)],
  ])(
    'a body above the maximum size is not sent but causes a warning, and the next step answers: %s',
    async (_what, value) => {
      await runWithLargeBody(value);
      expect(world.answers).toMatchObject([{ body: '"small"' }]);
      expect(world.messages()).toContain('WARNING Step "answer": sent no response: its body is above 262144 bytes');
    },
  );

  test('a body above the maximum size causes the same warning without a caller', async () => {
    await runWithLargeBody('x'.repeat(MAX_RESPONSE_BYTES), false);
    expect(world.messages()).toContain('above 262144 bytes');
    expect(world.messages()).toContain('nobody waits: 200 "small"');
  });
});

describe('no caller waits', () => {
  const runWithoutCaller = async (steps: Step[]) => {
    const end = await runSteps(steps, false);
    expect(world.answers).toEqual([]);
    return end;
  };

  test('without a waiting caller code and body are logged, and no answer is sent', async () => {
    const end = await runWithoutCaller([
      responseStep('{"name": "{{matrix.name}}"}', { code: 422, to: 'after' }),
      stepAfterAnswer,
    ]);
    expect(end.outcome).toBe('FINALIZED');
    expect(world.messages()).toContain(
      'INFO Step "answer": sent no response, because nobody waits: 422 {"name": "Ana \\"A\\""}',
    );
    expect(world.messages()).toContain('Step "after": started');
  });

  test.each<[string, string]>([
    ['a vault value', '{"key": "{{vault.KEY}}"}'],
    ['a vault value alone', '{{vault.KEY}}'],
    ['a Secreto', '{"token": {{matrix.token}}}'],
    ['a Secreto within a text', '{"token": "Bearer {{matrix.token}}"}'],
    ['a Secreto too short to be searched for', '{"pin": "{{matrix.pin}}"}'],
    ['a sensitive row', '{"salary": {{salary}}}'],
    ['a field of a sensitive row', '{"salary": {{object.salary}}}'],
    ['a value that a formula made from a Secreto', '{"pin": "{{made}}"}'],
  ])('%s is hidden in the log', async (_what, body) => {
    const rows: Step['rows'] = [
      { name: 'salary', mode: 'Fixo', value: '98', type: 'Número', sensitive: true },
      { name: 'object', mode: 'Fixo', value: '{"salary":98}', type: 'Objeto', sensitive: true },
      { name: 'made', mode: 'Fórmula', value: '{matrix.token}.length' },
    ];
    await runWithoutCaller([{ ...responseStep(body), rows }]);
    const shown = world.lines.find(({ message }) => message.includes('nobody waits'))?.message;
    expect(shown).toContain('•••');
    expect(shown).not.toMatch(/hunter2|vault-value|12|42|98/);
  });

  test('the log hides the value of another secret variable too', async () => {
    const rows: Step['rows'] = [{ name: 'copy', mode: 'Fixo', value: `with ${SECRET} inside` }];
    await runWithoutCaller([{ ...responseStep('["{{copy}}"]'), rows }]);
    expect(world.messages()).toContain('200 ["with ••• inside"]');
  });

  test('a long body is logged in several lines, none of which shows a part of a secret', async () => {
    const text = `${'é'.repeat(7_995)}${SECRET}${'🙂'.repeat(9_000)}end`;
    await world.run([responseStep('"{{matrix.text}}"')], {
      matrix: [...MATRIX_VALUES, { name: 'text', type: 'Texto', value: text }],
    });
    const body = world.lines.map(({ message }) => /(?:nobody waits: 200|answer": …) (.*)$/s.exec(message)?.[1] ?? '');
    expect(body.join('')).toBe(`"${text.replace(SECRET, '•••')}"`);
    expect(Math.max(...world.lines.map(({ message }) => message.length))).toBeLessThanOrEqual(
      MAX_LOG_MESSAGE_CHARACTERS,
    );
  });

  test('a body that is not JSON causes a warning', async () => {
    await runWithoutCaller([responseStep('{"a": {{matrix.name}}{{matrix.token}}}')]);
    expect(world.messages()).toMatch(/WARNING .*not valid JSON/);
    expect(world.messages()).not.toContain(SECRET);
  });

  test('the log of a second step says that an earlier step was the first', async () => {
    await runWithoutCaller([responseStep('1', { to: 'second' }), responseStep('2', { name: 'second' })]);
    expect(world.messages()).toContain('Step "second": sent no response, because an earlier step was the first: 200 2');
  });
});
