import type { Flow, Row } from '../definition/definition';
import { FLOW_SCHEMA } from '../definition/schema';
import { stepTypeNames } from '../definition/step-types';
import { SYSTEM_VARIABLES } from '../variables/system-variables';
import { vaultKeysOf } from '../substitution/step-texts';
import { formulaRow, problemsOf, row, textRow, withRows } from '../../test/flow-builders';

const FLOW_WITH_EVERY_STEP_TYPE: Flow = {
  start: 'read',
  stepLimit: 100,
  steps: [
    {
      name: 'read',
      type: 'variables',
      rows: [
        row('city', 'São Paulo', { type: 'Texto' }),
        formulaRow('tax', '{matrix.total} * 0.1', { type: 'Moeda', sensitive: true }),
        textRow('title', '{matrix.payload.issue.title} {tax} {city}'),
        formulaRow('matrix.total', '{matrix.total} + {tax}', { assign: true }),
        formulaRow('city', '"{city}!"', { assign: true }),
      ],
      routes: [
        { when: '{matrix.total} > 1000', to: 'call' },
        { when: '{execSteps} > 5', terminate: true },
        { when: 'false' },
      ],
      onError: [{ to: 'calc' }],
    },
    { name: 'calc', type: 'script', code: 'const {a} = x; return {tax}', validation: 'return {fastCheck}', as: 'sum' },
    {
      name: 'call',
      type: 'rest',
      method: 'POST',
      url: 'https://example.test/{sum.x}',
      headers: { authorization: 'Bearer {vault.TOKEN}' },
      body: { total: '{matrix.total}', deep: ['{vault.DEEP}'] },
      timeoutSeconds: 30,
      retries: 5,
      as: 'reply',
      routes: [{ when: '{reply.status} == 200 && {connector.rowCount}', to: 'rest' }],
    },
    { name: 'rest', type: 'wait', seconds: 0.5 },
    { name: 'query', type: 'database', connection: '{vault.DB}', sql: 'SELECT ?', params: ['{tax}', 1, null] },
    {
      name: 'mail',
      type: 'email',
      server: '{vault.SMTP}',
      from: 'a@example.test',
      to: ['b@example.test'],
      subject: '{title}',
      text: '{tax}',
      attachments: ['{sum.FILE}'],
    },
    { name: 'look', type: 'browser', actions: [{ action: 'open', url: '{currentUrl}' }] },
    { name: 'answer', type: 'webhookResponse', code: 201, body: '{"total": {{matrix.total}}, "key": "{{vault.K}}"}' },
    { name: 'answer too', type: 'webhookResponse', code: null, body: '{{reply.body}}' },
  ],
};

test('a definition with every step type has no problems', () => {
  expect(problemsOf(FLOW_WITH_EVERY_STEP_TYPE)).toEqual([]);
});

test('the table of step types has the types of the schema', () => {
  expect(stepTypeNames()).toEqual(FLOW_SCHEMA.$defs.step.properties.type.enum);
});

test('the vault keys of a flow come from every field, each key once', () => {
  expect(vaultKeysOf(FLOW_WITH_EVERY_STEP_TYPE)).toEqual(['TOKEN', 'DEEP', 'DB', 'SMTP', 'K']);
});

describe('names of flow variables', () => {
  test.each<[string, Row[], string, RegExp]>([
    ['required', [row('')], '/steps/0/rows/0/name', /is required/],
    ['no braces', [row('a{b}')], '/steps/0/rows/0/name', /braces/],
    ['at most 80 characters', [row('a'.repeat(81))], '/steps/0/rows/0/name', /80 characters/],
    ['not matrix.', [row('matrix.x')], '/steps/0/rows/0/name', /"matrix\."/],
    ['not connector.', [row('connector.x')], '/steps/0/rows/0/name', /"connector\."/],
    ['not vault.', [row('vault.x')], '/steps/0/rows/0/name', /"vault\."/],
    ['no system variable', [row('stepName')], '/steps/0/rows/0/name', /system variable/],
    ['no system variable with a dot', [row('error.evidence')], '/steps/0/rows/0/name', /system variable/],
    ['not twice in a step', [row('a'), row('a')], '/steps/0/rows/1/name', /another row/],
    ['not twice in a flow', [row('later')], '/steps/1/rows/0/name', /another row/],
    ['not the name of a step', [row('call')], '/steps/0/rows/0/name', /name of a step/],
    ['not the result of a step', [row('reply')], '/steps/0/rows/0/name', /result of a step/],
    ['readable in braces', [row(' a')], '/steps/0/rows/0/name', /space/],
  ])('the name of a flow variable must follow the rule: %s', (_rule, rows, path, message) => {
    expect(problemsOf(withRows(...rows))).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  test('the name of a flow variable may have 80 characters, spaces inside, dots and accents', () => {
    expect(
      problemsOf(withRows(row('a'.repeat(80)), row('valor total'), row('a.b'), row('preço'), row('matrixes'))),
    ).toEqual([]);
  });
});

test.each(SYSTEM_VARIABLES)(
  '{%s} is a system variable: no row, result or field has its name, and no row assigns it',
  (name) => {
    const taken = (rows: Row[], fields: object = {}) =>
      problemsOf({ start: 's', steps: [{ name: 's', type: 'rest', method: 'GET', url: '{{x}}', rows, ...fields }] });
    const problem = (path: string) => [{ path: `/steps/0${path}`, message: expect.stringMatching(/system variable/) }];
    expect(taken([row(name)])).toEqual(problem('/rows/0/name'));
    expect(taken([row(name, '1', { assign: true })])).toEqual(problem('/rows/0/name'));
    expect(taken([], { as: name })).toEqual(problem('/as'));
    const mapping = { x: { mode: 'Fixo', value: '' }, [name]: { mode: 'Fixo', value: '' } };
    expect(taken([], { mapping })).toEqual(problem(`/mapping/${name}`));
  },
);

describe('steps and routes', () => {
  const wait = (fields: object = {}) => ({ name: 'w', type: 'wait', seconds: 1, ...fields });
  const only = (step: object, fields: object = {}) => ({ start: 'w', steps: [step], ...fields });
  const rest = (fields: object = {}) => ({ name: 'w', type: 'rest', method: 'POST', url: 'http://x/', ...fields });
  const email = { name: 'w', type: 'email', server: 's', from: 'a', to: 'b', subject: 'c' };
  const response = (fields: object) => ({ name: 'w', type: 'webhookResponse', body: '{}', ...fields });

  test.each<[string, unknown, string, RegExp]>([
    ['no object', 'flow', '', /object/],
    ['nothing', undefined, '', /object/],
    ['no steps', { start: 'w' }, '/steps', /required/],
    ['empty steps', { start: 'w', steps: [] }, '/steps', /empty/],
    ['an unknown start', only(wait(), { start: 'x' }), '/start', /no step is named "x"/],
    ['an unknown field', only(wait(), { 'a/b': 1 }), '/a~1b', /not a field/],
    ['stepLimit 0', only(wait(), { stepLimit: 0 }), '/stepLimit', /at least 1/],
    ['stepLimit 10001', only(wait(), { stepLimit: 10_001 }), '/stepLimit', /at most 10000/],
    ['an unknown type', only(wait({ type: 'sleep' })), '/steps/0/type', /must be one of/],
    ['no type', only({ name: 'w' }), '/steps/0/type', /required/],
    ['a missing field', only({ name: 'w', type: 'wait' }), '/steps/0/seconds', /required/],
    ['a misspelled field', only(wait({ second: 1 })), '/steps/0/second', /not a field/],
    ['an empty step name', { start: 'w', steps: [wait(), wait({ name: '' })] }, '/steps/1/name', /empty/],
    ['a long step name', { start: 'w', steps: [wait(), wait({ name: 'n'.repeat(81) })] }, '/steps/1/name', /80/],
    ['a repeated step name', { start: 'w', steps: [wait(), wait()] }, '/steps/1/name', /another step/],
    ['negative seconds', only(wait({ seconds: -1 })), '/steps/0/seconds', /at least 0/],
    ['more than a day', only(wait({ seconds: 86_401 })), '/steps/0/seconds', /at most 86400/],
    ['an unknown method', only(rest({ method: 'FETCH' })), '/steps/0/method', /"PATCH"/],
    ['no timeout', only(rest({ timeoutSeconds: 0 })), '/steps/0/timeoutSeconds', /at least 1/],
    ['a long timeout', only(rest({ timeoutSeconds: 601 })), '/steps/0/timeoutSeconds', /at most 600/],
    ['six retries', only(rest({ retries: 6 })), '/steps/0/retries', /at most 5/],
    ['a header that is no text', only(rest({ headers: { a: 1 } })), '/steps/0/headers/a', /text/],
    ['an unknown name in a nested body', only(rest({ body: { a: ['{x.y}'] } })), '/steps/0/body/a/0', /\{x\.y\}/],
    ['an unknown name in a header', only(rest({ headers: { 'a/b': '{x}' } })), '/steps/0/headers/a~1b', /\{x\}/],
    ['a code that is not in the list', only(response({ code: 204 })), '/steps/0/code', /must be one of/],
    ['a response that is not JSON', only(response({ body: '{"a": {{stepName}}' })), '/steps/0/body', /not JSON/],
    ['an unknown name in a response', only(response({ body: '{{x}}' })), '/steps/0/body', /\{x\}/],
    [
      'a body of a GET call',
      only(rest({ method: 'GET', body: '{stepName}' })),
      '/steps/0/body',
      /a GET call has no body/,
    ],
    ['a form of a HEAD call', only(rest({ method: 'HEAD', form: {} })), '/steps/0/form', /a HEAD call has no body/],
    ['a file of a GET call', only(rest({ method: 'GET', file: 'x' })), '/steps/0/file', /a GET call has no body/],
    ['two bodies', only(rest({ body: 'x', form: {} })), '/steps/0', /only one of body, form and file/],
    [
      'files in an urlencoded form',
      only(rest({ form: { encoding: 'urlencoded', files: { a: 'b' } } })),
      '/steps/0/form',
      /must not have files/,
    ],
    ['an unknown name in a form', only(rest({ form: { fields: { a: '{x}' } } })), '/steps/0/form/fields/a', /\{x\}/],
    ['an unknown name in cc', only({ ...email, text: '', cc: ['{x}'] }), '/steps/0/cc/0', /\{x\}/],
    ['an e-mail without text', only(email), '/steps/0', /text or an html/],
    ['an e-mail to nobody', only({ ...email, text: '', to: [] }), '/steps/0/to', /address/],
    ['a route to nowhere', only(wait({ routes: [{ to: 'w' }, { to: 'x' }] })), '/steps/0/routes/1/to', /"x"/],
    ['an error route to nowhere', only(wait({ onError: [{ to: 'x' }] })), '/steps/0/onError/0/to', /"x"/],
    ['a route in two directions', only(wait({ routes: [{ to: 'w', terminate: true }] })), '/steps/0/routes/0', /both/],
    [
      'an unknown name in a condition',
      only(wait({ routes: [{ when: '{x} > 1' }] })),
      '/steps/0/routes/0/when',
      /\{x\}/,
    ],
    [
      'a Matrix variable that a script misspells',
      only({ name: 'w', type: 'script', code: 'return {matrix.x}' }),
      '/steps/0/code',
      /"x"/,
    ],
    ['51 routes', only(wait({ routes: Array.from({ length: 51 }, () => ({})) })), '/steps/0/routes', /50/],
    ['a reserved result name', only(wait({ as: 'matrix.x' })), '/steps/0/as', /"matrix\."/],
    ['a result named as a system variable', only(wait({ as: 'workflow' })), '/steps/0/as', /system/],
  ])('in a flow, %s is a problem', (_rule, definition, path, message) => {
    expect(problemsOf(definition)).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  test.each([undefined, null, ''])('a GET call may have the empty body %j', (body) => {
    expect(problemsOf(only(rest({ method: 'GET', body })))).toEqual([]);
  });

  test('a flow has at most 500 steps', () => {
    const steps = Array.from({ length: 501 }, (_, index) => wait({ name: index === 0 ? 'w' : `w${index}` }));
    expect(problemsOf({ start: 'w', steps: steps.slice(1).concat(wait()) })).toHaveLength(1);
    expect(problemsOf({ start: 'w', steps: steps.slice(0, 500) })).toEqual([]);
  });

  test('a definition has at most 1 MB, at most 100 levels and no cycles', () => {
    const big = only(rest({ body: Array.from({ length: 11 }, () => 'x'.repeat(100_000)) }));
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    const deep: unknown = JSON.parse('['.repeat(200) + ']'.repeat(200));
    for (const definition of [big, only(rest({ body: deep })), only(rest({ body: cyclic }))]) {
      expect(problemsOf(definition)).toEqual([{ path: '', message: expect.stringMatching(/1 MB/) }]);
    }
  });

  test('a huge list of wrong steps is one problem', () => {
    const steps = Array.from({ length: 100_000 }, () => ({}));
    expect(problemsOf({ start: 'w', steps })).toEqual([{ path: '/steps', message: expect.stringMatching(/500/) }]);
  });

  test('at most 100 problems are returned', () => {
    const steps = Array.from({ length: 200 }, () => wait());
    expect(problemsOf({ start: 'w', steps })).toHaveLength(100);
  });
});
