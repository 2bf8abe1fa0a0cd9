import { i18n } from '../../i18n/instance';
import common from '../../common/locales/pt-BR.json';
import schedules from './locales/pt-BR.json';
import { reasonText } from './firing-reason';

beforeAll(() =>
  i18n.init({
    lng: 'pt-BR',
    defaultNS: 'common',
    resources: { 'pt-BR': { common, schedules } },
    interpolation: { escapeValue: false },
  }),
);

test.each([
  ['FORBIDDEN', 'Not allowed.', 'Quem criou o agendamento não pode mais agendar o processo.'],
  [
    'INVALID_CRON',
    'cronExpression: the field "day of month" has "L"',
    'A expressão cron não é mais aceita. Altere-a, e o agendamento volta a disparar.',
  ],
  ['PROCESS_NOT_PUBLISHED', 'The process is inactive.', 'O processo não tem versão publicada ou está desligado.'],
  [
    'INVALID_MATRIX',
    'total: "x" is not an amount of money',
    'Um valor do agendamento não serve mais para a variável. total: "x" não é um valor em dinheiro',
  ],
  // Agents may be connected that lack an ability.
  [
    'AGENT_OFFLINE',
    'No connected agent of the environment "Plant" runs browser steps, and it keeps no queue for pending executions.',
    'Nenhum agente conectado podia executar o processo, e o ambiente não mantém fila.',
  ],
  [
    'RATE_LIMITED',
    'The environment "Plant" has as many queued instances as it may have (10).',
    'A fila do ambiente estava cheia.',
  ],
  ['UNAVAILABLE', 'The service execution did not answer.', 'Uma parte do Batuta estava fora do ar.'],
  [
    'ROUTER_ERROR',
    'The start arrived after its deadline; it was not carried out.',
    'O Batuta estava ocupado demais para aceitar o início a tempo.',
  ],
  ['INTERNAL', 'Internal error.', 'O Batuta teve uma falha.'],
  ['OF_A_LATER_RELEASE', 'No such environment.', 'Este ambiente não existe.'],
])('the reason %s of a firing that started nothing is shown in the language of the user', (code, message, text) => {
  expect(reasonText({ code, message }, i18n.getFixedT('pt-BR', 'schedules'))).toBe(text);
});
