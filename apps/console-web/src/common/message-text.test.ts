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
  ['The account is blocked.', 'A conta está bloqueada.'],
  ['The company of the account is suspended.', 'A empresa da conta está suspensa.'],
  ['The owner has no credits left.', 'The owner has no credits left.'],
])('the message "%s" is shown as "%s"', (message, text) => {
  expect(messageText(message)).toBe(text);
});

test.each([
  ['PROCESS_NOT_FOUND', 'No such process.'],
  ['INSTANCE_NOT_FOUND', 'No such instance, or not visible to the caller.'],
  ['SCHEDULE_NOT_FOUND', 'id: no such schedule'],
])('the message of %s is not shown, because the text of the code says the same', (code, message) => {
  expect(detailText(new CallError(404, code, message))).toBeUndefined();
});

test('the message of NOT_FOUND says which resource does not exist', () => {
  expect(detailText(new CallError(404, 'NOT_FOUND', 'No such environment.'))).toBe('Este ambiente não existe.');
});
