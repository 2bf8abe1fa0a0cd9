import { CallError } from '../api/error';
import { i18n } from '../i18n/instance';
import portuguese from './locales/pt-BR.json';
import { detailText, messageText } from './message-text';

beforeAll(() =>
  i18n.init({
    lng: 'pt-BR',
    defaultNS: 'common',
    resources: { 'pt-BR': { common: portuguese } },
    interpolation: { escapeValue: false },
  }),
);

test.each([
  ['total: "1,2,3" is not an amount of money', 'total: "1,2,3" não é um valor em dinheiro'],
  ['total: is as the moon', 'total: is as the moon'],
  ['No such environment.', 'Este ambiente não existe.'],
  [
    'The start arrived after its deadline; it was not carried out.',
    'O início chegou depois do prazo; nada foi executado.',
  ],
  ['flow: nothing was saved that could run', 'flow: não há nada salvo que possa ser executado'],
  ['versionID: another version was published meanwhile', 'versionID: outra versão foi publicada nesse meio-tempo'],
  [
    'A company has at most 5 usable credentials (setting QUOTA_CREDENTIALS); revoke one first.',
    'Uma empresa tem no máximo 5 credenciais válidas (configuração QUOTA_CREDENTIALS): revogue uma antes.',
  ],
  ['The account is blocked.', 'A conta está bloqueada.'],
  ['The company of the account is suspended.', 'A empresa da conta está suspensa.'],
  ['The process has 2 queued or running instances.', 'Execuções do processo na fila ou em andamento: 2.'],
  ['email: another account has it', 'email: outra conta já o tem'],
  [
    'matrix.pin: a schedule takes no Secreto; put it into the vault and refer to it as {vault.KEY}',
    'matrix.pin: um agendamento não aceita Secreto; guarde-o no cofre e use-o como {vault.CHAVE}',
  ],
  [
    'The environment "Plant "A"" is offline and keeps no queue for pending executions.',
    'O ambiente "Plant "A"" está offline e não mantém fila.',
  ],
  [
    'No connected agent of the environment "Plant" runs browser steps, and it keeps no queue for pending executions.',
    'Nenhum agente conectado do ambiente "Plant" executa passos browser, e ele não mantém fila.',
  ],
  [
    'No connected agent of the environment "Plant" has a gripper, and it keeps no queue for pending executions.',
    'No connected agent of the environment "Plant" has a gripper, and it keeps no queue for pending executions.',
  ],
  [
    "The environment e1 registered on the process is out of its owner's reach; correct it in the registration of the process.",
    'O ambiente e1, registrado no processo, está fora do alcance do dono: escolha outro na visão geral do processo.',
  ],
  [
    'environmentID: the environment e1 does not exist or is out of reach.',
    'environmentID: o ambiente e1 não existe ou está fora de alcance.',
  ],
  [
    "environmentID: the flow reads the vault of the owner of the process, and the environment e1 is neither the owner's nor shared with the owner's company.",
    'environmentID: o fluxo lê o cofre do dono do processo, e o ambiente e1 não é do dono nem está compartilhado com a empresa dele.',
  ],
  ['An account with the role member may not do this.', 'Uma conta com o papel membro não pode fazer isto.'],
  ['matrix.0.name: is reserved', 'matrix.0.name: é reservado'],
  ['matrix.1.id: comes twice', 'matrix.1.id: aparece duas vezes'],
  ['The database did not answer in time; try again.', 'O banco de dados não respondeu a tempo; tente de novo.'],
  ['The share lacks the permission execute.', 'O compartilhamento não tem a permissão Executar.'],
  ['The owner has no credits left.', 'The owner has no credits left.'],
])('the message "%s" is shown as "%s"', (message, text) => {
  expect(messageText(message)).toBe(text);
});

test.each([
  ['PROCESS_NOT_FOUND', 'No such process.'],
  ['INSTANCE_NOT_FOUND', 'No such instance, or not visible to the caller.'],
  ['SCHEDULE_NOT_FOUND', 'id: no such schedule'],
  ['INSTANCE_FINISHED', 'The execution has ended with stopped.'],
  ['INSTANCE_UNRESOLVED', 'pause does not apply to an execution that is queued.'],
])('the message of %s is not shown, because the text of the code says the same', (code, message) => {
  expect(detailText(new CallError(404, code, message))).toBeUndefined();
});

test.each([400, 403, 404, 409])('a refusal with status %i names its field by the label of the form', (status) => {
  const refusal = new CallError(status, 'CONFLICT', 'currentPassword: is not the password of the account');
  expect(detailText(refusal, { currentPassword: 'Senha atual' })).toBe('Senha atual: não é a senha da conta');
});

test('the message of NOT_FOUND says which resource does not exist', () => {
  expect(detailText(new CallError(404, 'NOT_FOUND', 'No such environment.'))).toBe('Este ambiente não existe.');
});
