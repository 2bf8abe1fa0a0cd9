import { validateFlow } from '@batuta/flow';
import commonEnglish from '../../../common/locales/en.json';
import commonPortuguese from '../../../common/locales/pt-BR.json';
import { i18n } from '../../../i18n/instance';
import english from '../locales/en.json';
import portuguese from '../locales/pt-BR.json';
import { FLOW_RULES, problemText } from './flow-rules';

beforeAll(() =>
  i18n.init({
    lng: 'pt-BR',
    defaultNS: 'common',
    interpolation: { escapeValue: false },
    resources: {
      'pt-BR': { common: commonPortuguese, 'flow-editor': portuguese },
      en: { common: commonEnglish, 'flow-editor': english },
    },
  }),
);

const row = (name: string, value = '1', more: object = {}) => ({ name, mode: 'Fórmula', value, ...more });
const rest = (fields: object) => ({ type: 'rest', method: 'GET', url: 'x', ...fields });
const mapped = (name: string) => ({ [name]: { mode: 'Fixo', value: '1' } });

/** Steps that break rules of flows, one or a few rules each. */
const BROKEN_STEPS: Record<string, unknown>[] = [
  { type: 'wait', seconds: 'x' },
  { type: 'wait', seconds: -1 },
  { type: 'rest', method: 'GETS', url: '', body: 1, file: 'x' },
  rest({ timeoutSeconds: 1.5, headers: 1, retries: 9, gone: 1, download: 1 }),
  rest({ url: 'x'.repeat(4001) }),
  rest({ form: { encoding: 'urlencoded', files: { a: 'x' } } }),
  rest({ body: 'x' }),
  { type: 'email', server: 'x', from: 'x', to: '', subject: '' },
  { type: 'email', server: 'x', from: 'x', to: 'x', subject: '', attachments: 'x' },
  { type: 'database', connection: 'x' },
  { type: 'browser', actions: [] },
  { type: 'browser', actions: [{ action: 'select', selector: 'x', options: 1 }] },
  { type: 'browser', actions: [{ action: 'upload', selector: 'x', files: 1 }] },
  { type: 'variables', rows: Array.from({ length: 51 }, () => row('a')) },
  { type: 'variables', routes: [{ to: 'x', terminate: true }] },
  { type: 'variables', routes: [{ terminate: false }] },
  { type: 'variables', routes: [{ to: 'gone' }, { when: '{matrix.gone}' }, { when: '{gone.x}' }] },
  { type: 'webhookResponse', body: '{' },
  { type: 'variables', as: 'a{' },
  { type: 'variables', as: 'matrix.a' },
  { type: 'variables', as: ' a' },
  { type: 'script', code: 'return 1', as: 'stepName' },
  { type: 'script', code: 'return 1', as: 'first', rows: [row('first'), row('step')] },
  {
    type: 'variables',
    rows: [row('a', '{b}'), row('b', ''), row('b'), row('c', '{vault.KEY}'), row('d', '1', { type: 'Moeda' })],
  },
  {
    type: 'variables',
    rows: [
      row('late', '1', { assign: true }),
      row('late'),
      row('stepName', '1', { assign: true }),
      row('vault.x', '1', { assign: true }),
      row('matrix.total', '1', { assign: true, type: 'Texto' }),
    ],
  },
  rest({ url: '{vault.KEY} {matrix.gone} {gone}' }),
  rest({ url: '{connector.rowCount}' }),
  { type: 'wait', seconds: 1, as: 'nothing', routes: [{ when: '{nothing}' }] },
  {
    type: 'email',
    server: 'x',
    from: 'x',
    to: 'x',
    subject: '',
    text: '',
    as: 'mail',
    routes: [{ when: '{mail.FILE}' }],
  },
  rest({ url: '{{a}} {{b}}', mapping: mapped('a') }),
  rest({ url: '{{a}}' }),
  rest({ url: '{{created}}', rows: [row('created')] }),
  rest({ url: '{{a}}', mapping: { ...mapped('a'), ...mapped('b'), ...mapped('vault.x') } }),
  { type: 'browser', actions: [{ action: 'waitFor' }, { action: 'readText', selector: 'x' }] },
  {
    type: 'browser',
    as: 'page',
    actions: [
      { action: 'readText', selector: 'x' },
      { action: 'readText', selector: 'y', into: 'y' },
      { action: 'download', selector: 'x' },
      { action: 'download', selector: 'x' },
    ],
  },
  { type: 'database', connection: 'mysql://x', sql: "SELECT '{stepName}' -- {stepName}" },
];

/** Everything that the console says about flows that break rules. */
function messages(): string[] {
  const context = { matrix: [{ name: 'total', type: 'Moeda' }], vaultKeys: [] };
  const flows: unknown[] = [
    ...BROKEN_STEPS.map((step) => ({ start: 'step', steps: [{ name: 'step', ...step }] })),
    { start: 'gone', steps: [] },
    {
      start: 'gone',
      steps: [
        { name: 'a', type: 'variables' },
        { name: 'a', type: 'variables' },
      ],
    },
    { start: 'a', steps: [{ name: 'a', type: 'variables', code: 'x'.repeat(2_000_000) }] },
    7,
  ];
  const found = flows.flatMap((flow) => {
    const { problems, warnings } = validateFlow(flow, context);
    expect([...problems, ...warnings]).not.toEqual([]);
    return [...problems, ...warnings].map(({ message }) => message);
  });
  return [...found, 'No connected agent of the environment "Robots" runs browser steps'];
}

test('every problem and warning of a flow is in the language of the user', async () => {
  const all = messages();
  await i18n.changeLanguage('en');
  expect(all.map(problemText)).toEqual(all);
  await i18n.changeLanguage('pt-BR');
  expect(all.filter((message) => problemText(message) === message)).toEqual([]);
});

test.each([
  ['must be at most 600', 'precisa ser no máximo 600'],
  [
    '{{b}}: the mapping of the step has no field "b" (braces of another meaning take a space: "{{ b }}")',
    '{{b}}: o passo não tem o campo "b" (chaves com outro significado levam um espaço: "{{ b }}")',
  ],
  ['the name of a field must not contain braces', 'o nome de um campo não pode conter chaves'],
  ['{a.b}: no variable of this name exists', '{a.b}: não existe variável com este nome'],
])('the message "%s" of the API is "%s" in Portuguese', async (message, text) => {
  await i18n.changeLanguage('pt-BR');
  expect(problemText(message)).toBe(text);
});

test('each rule has a translation in both languages, and the English one is what the API says', () => {
  expect(english.rules).toEqual(FLOW_RULES);
  expect(Object.keys(portuguese.rules)).toEqual(Object.keys(FLOW_RULES));
});
