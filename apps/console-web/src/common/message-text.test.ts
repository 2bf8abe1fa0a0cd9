import { i18n } from '../i18n/instance';
import portuguese from './locales/pt-BR.json';
import { messageText } from './message-text';

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
  ['The owner has no credits left.', 'The owner has no credits left.'],
])('the message "%s" is shown as "%s"', (message, text) => {
  expect(messageText(message)).toBe(text);
});
