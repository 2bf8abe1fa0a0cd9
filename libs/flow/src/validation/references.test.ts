import type { Row, Step } from '../definition/definition';
import { flowOf, formulaRow, problemsOf, row, textRow, withRows } from '../../test/flow-builders';

describe('values of flow variables', () => {
  test.each<[string, Row[], RegExp]>([
    ['an empty formula', [formulaRow('a', ' \n')], /cannot be empty/],
    ['a formula of only the marker', [formulaRow('a', '{JS} ')], /cannot be empty/],
    ['more than 4000 characters', [row('a', 'x'.repeat(4001))], /4000 characters/],
    ['a vault key in a text', [textRow('a', 'x{vault.KEY}')], /vault/],
    ['a vault key in a formula', [formulaRow('a', '"{vault.KEY}"')], /vault/],
    ['a vault key in a fixed value', [row('a', '{vault.KEY}')], /vault/],
    ['itself', [formulaRow('a', '{a} + 1')], /\{a\} is not created in a row above/],
    ['a path into itself', [formulaRow('a', '{a.b} + 1')], /\{a\} is not created in a row above/],
    ['a row below', [textRow('a', '{b}'), row('b')], /\{b\} is not created in a row above/],
    ['a name with spaces from below', [textRow('a', '{b c}'), row('b c')], /\{b c\} is not created in a row above/],
    ['a name that exists nowhere', [textRow('a', '{nobody}')], /\{nobody\}: no variable of this name exists$/],
    ['a name that exists nowhere in a formula', [formulaRow('a', '{nobody}')], /\{nobody\}.*\{ nobody \}/],
    ['a name that exists nowhere inside quotes', [formulaRow('a', '"{nobody}"')], /\{nobody\}/],
    ['an unknown Matrix variable', [textRow('a', '{matrix.totl}')], /no Matrix variable "totl" is registered/],
    ['a path into an unknown Matrix variable', [formulaRow('a', '{matrix.totl.x}')], /no Matrix variable "totl"/],
  ])('in a row of a step, %s is a problem', (_rule, rows, message) => {
    expect(problemsOf(withRows(...rows))).toEqual([
      { path: '/steps/0/rows/0/value', message: expect.stringMatching(message) },
    ]);
  });

  test.each<[string, Row[]]>([
    ['rows above', [row('a'), formulaRow('b', '{a} + "{a}"')]],
    ['rows of other steps, whose order is dynamic', [textRow('a', '{later} {reply.body} {reply.body.FILE}')]],
    ['system variables', [textRow('a', '{stepName} {error.evidence} {lastErrorStatus}')]],
    ['Matrix variables and fields of their values', [textRow('a', '{matrix.total} {matrix.payload.issue.title}')]],
    ['anything in a fixed value', [row('a', '{nobody} {{x}}')]],
    ['anything in pure JavaScript', [formulaRow('a', '{JS} ({nobody})')]],
    ['objects and blocks', [formulaRow('a', '({ nobody, b: {c: 1} })')]],
    ['literal double braces', [textRow('a', '{{nobody}} {"json": 1}')]],
  ])('the value of a flow variable may use %s', (_rule, rows) => {
    expect(problemsOf(withRows(...rows))).toEqual([]);
  });

  test('a name that exists nowhere is one problem, also while a row below has no name yet', () => {
    const problems = problemsOf(withRows(textRow('a', '{nobody}'), row('')));
    expect(problems.filter(({ path }) => path === '/steps/0/rows/0/value')).toHaveLength(1);
  });

  test('a step has at most 50 flow variables', () => {
    const rows = Array.from({ length: 51 }, (_, index) => row(`v${index}`));
    expect(problemsOf(withRows(...rows.slice(0, 50)))).toEqual([]);
    expect(problemsOf(withRows(...rows))).toEqual([{ path: '/steps/0/rows', message: expect.stringMatching(/50/) }]);
  });
});

describe('automatic variables', () => {
  const rest = { name: 'call', type: 'rest', method: 'GET', url: 'http://x/', as: 'reply' } as const;
  const script = { name: 'calc', type: 'script', code: 'return {}', as: 'sum' } as const;
  const query: Step = { name: 'query', type: 'database', connection: 'c', sql: 's', as: 'found' };
  const mail: Step = {
    name: 'mail',
    type: 'email',
    server: 's',
    from: 'f',
    to: 't',
    subject: '',
    text: '',
    as: 'sent',
  };
  const look: Step = { name: 'look', type: 'browser', actions: [{ action: 'open', url: 'https://x/' }], as: 'page' };
  const reading = (reference: string, ...steps: Step[]) => {
    const flow = flowOf({ name: 'read', type: 'variables', rows: [textRow('a', `x {${reference}}`)] }, ...steps);
    return problemsOf(flow).filter(({ path }) => path === '/steps/0/rows/0/value');
  };

  test.each<[string, Step[], RegExp]>([
    [
      'connector.rowCount',
      [rest],
      /^\{connector\.rowCount\}: no step of the flow gives it \(database gives affe.*email/,
    ],
    ['connector.rowCount', [], /no step of the flow gives it/],
    ['connector.messageId', [query], /no step of the flow gives it/],
    ['connector.status', [rest], /no step of the flow gives it/],
    ['connector', [rest], /\{connector\}: no variable of this name exists/],
    ['reply.evidence', [rest], /^\{reply\.evidence\}: a step of the type rest gives no evidence$/],
    ['sent.FILE', [mail], /^\{sent\.FILE\}: a step of the type email gives no FILE$/],
    ['sent.OCR', [mail], /^\{sent\.OCR\}: a step of the type email gives no OCR$/],
    ['connector.rowCount', [mail], /no step of the flow gives it/],
    ['connector.accepted', [rest, query, script, look], /no step of the flow gives it/],
    ['reply.evidence_BUFFER.x', [rest], /gives no evidence_BUFFER/],
    ['w', [{ name: 'wait', type: 'wait', seconds: 1, as: 'w' }], /^\{w\}: a step of the type wait gives no result$/],
    ['w.x', [{ name: 'set', type: 'variables', as: 'w' }], /type variables gives no result/],
    ['w', [{ name: 'answer', type: 'webhookResponse', body: '{}', as: 'w' }], /webhookResponse gives no result/],
  ])('{%s} that no step gives is a problem', (reference, steps, message) => {
    expect(reading(reference, ...steps)).toEqual([
      { path: '/steps/0/rows/0/value', message: expect.stringMatching(message) },
    ]);
  });

  test.each<[string, Step[]]>([
    ['connector.rowCount', [query]],
    ['reply.body', [rest]],
    ['reply.missing', [rest]],
    ['sum.FILE', [script]],
    ['reply.FILE', [rest]],
    ['reply.BUFFER', [rest]],
    ['reply.OCR', [rest]],
    ['reply.evidence', [rest, { ...script, as: 'reply' }]],
    ['connector.affectedRows', [query]],
    ['connector.insertId', [query]],
    ['connector.messageId', [mail]],
    ['connector.accepted', [mail]],
    ['connector.rejected', [mail]],
    ['sent.accepted', [mail]],
    ['page.FILE', [look]],
    ['page.OCR', [look]],
    ['page.evidence', [look]],
    ['reply.evidence', [rest, { name: 'set', type: 'variables', rows: [row('reply', '1', { assign: true })] }]],
    ['page.evidence_BUFFER', [look]],
    ['w', [rest, { name: 'wait', type: 'wait', seconds: 1, as: 'w' }, { ...script, as: 'w' }]],
  ])('{%s} that a step may give is no problem', (reference, steps) => {
    expect(reading(reference, ...steps)).toEqual([]);
  });

  test('an automatic variable that no step gives is found in every field, and the problem names the field', () => {
    const flow = flowOf({
      ...rest,
      method: 'POST',
      body: { n: ['{connector.rowCount}'] },
      onError: [{ when: '{reply.evidence} > 1' }],
    });
    expect(problemsOf(flow).map(({ path }) => path)).toEqual(['/steps/0/body/n/0', '/steps/0/onError/0/when']);
    const answer: Step = { name: 'a', type: 'webhookResponse', body: '{"n": {{connector.rowCount}}}' };
    expect(problemsOf(flowOf(answer)).map(({ path }) => path)).toEqual(['/steps/0/body']);
    const code: Step = { name: 'c', type: 'script', code: 'return {connector.rowCount}' };
    expect(problemsOf(flowOf(code)).map(({ path }) => path)).toEqual(['/steps/0/code']);
  });

  test('an automatic variable of a step without a result cannot be assigned', () => {
    const rows = [row('w', '1', { assign: true })];
    const flow = flowOf({ name: 'a', type: 'variables', rows }, { name: 'wait', type: 'wait', seconds: 1, as: 'w' });
    expect(problemsOf(flow)).toMatchObject([{ path: '/steps/0/rows/0/name' }]);
  });
});

describe('assignments', () => {
  const assign = (name: string, fields: Partial<Row> = {}) => row(name, '1', { assign: true, ...fields });

  test.each<[string, Row[], number, RegExp]>([
    ['that exists nowhere', [assign('nobody')], 0, /no variable of this name/],
    ['that is an unknown Matrix variable', [assign('matrix.totl')], 0, /"totl"/],
    ['that is created below', [assign('a'), row('a')], 0, /not created in a row above/],
    ['that is a system variable', [assign('stepName')], 0, /system variable/],
    ['that is a system variable with a dot', [assign('error.evidence')], 0, /system variable/],
    ['in the vault', [assign('vault.KEY')], 0, /cannot be assigned/],
    ['of a connector', [assign('connector.rowCount')], 0, /cannot be assigned/],
    ['that is a field of a value', [row('a'), assign('a.b')], 1, /no variable of this name/],
    ['without a name', [assign('')], 0, /required/],
  ])('an assignment to a target %s is a problem', (_rule, rows, index, message) => {
    expect(problemsOf(withRows(...rows))).toEqual([
      { path: `/steps/0/rows/${index}/name`, message: expect.stringMatching(message) },
    ]);
  });

  test.each<[string, Row[]]>([
    ['a Matrix variable', [assign('matrix.total')]],
    ['a row above', [row('a'), assign('a'), assign('a')]],
    ['a row of another step', [assign('later')]],
    ['the result of a step', [assign('reply')]],
    ['a variable of the same type', [assign('matrix.total', { type: 'Moeda' })]],
  ])('an assignment is accepted whose target is %s', (_rule, rows) => {
    expect(problemsOf(withRows(...rows))).toEqual([]);
  });

  test('a type of an assignment other than that of its target is a problem', () => {
    expect(problemsOf(withRows(assign('matrix.total', { type: 'Texto' })))).toEqual([
      { path: '/steps/0/rows/0/type', message: expect.stringMatching(/Moeda/) },
    ]);
  });
});

test.each([
  ['{vault.TOKEN}', []],
  ['{vault.OTHER}', ['{vault.OTHER}']],
  ['{vault.TOKEN.length} {vault.OTHER}', ['{vault.TOKEN.length}', '{vault.OTHER}']],
])('a reference to a vault key that the process may not use is a problem: %s', (url, refused) => {
  const flow = flowOf({ name: 'a', type: 'rest', method: 'GET', url });
  const why = 'the process may not use this vault key; the owner of the process has to allow it';
  expect(problemsOf(flow, { vaultKeys: ['TOKEN'] })).toEqual(
    refused.map((reference) => ({ path: '/steps/0/url', message: `${reference}: ${why}` })),
  );
  expect(problemsOf(flow)).toEqual([]);
});
