import { CallError } from '../../api/error';
import { errorText } from '../../common/message-text';
import { i18n } from '../../i18n/instance';
import { ADDRESS_REFUSALS, throwTranslated } from './address-refusals';
import english from './locales/en.json';
import portuguese from './locales/pt-BR.json';

beforeAll(() => i18n.init({ lng: 'pt-BR', resources: { 'pt-BR': { events: portuguese } } }));

function translationOf(error: Error): string | undefined {
  expect(() => throwTranslated(error)).toThrow(error);
  return error instanceof CallError ? error.translation?.() : undefined;
}

test.each([
  [
    'must begin with https://; only hosts that the operator lists may be called without TLS (setting EVENT_ALLOW_HOSTS)',
    'deve começar com https://; sem TLS só são chamados servidores que o operador permite (configuração EVENT_ALLOW_HOSTS)',
  ],
  ['must be a URL that begins with https://', 'deve ser uma URL que começa com https://'],
  ['the host erp.example has no address', 'o servidor erp.example não tem endereço'],
  ['the host erp.example was not resolved in time', 'o servidor erp.example não foi resolvido a tempo'],
  [
    'has the port 6000, which other protocols than HTTP use and Batuta does not connect to',
    'tem a porta 6000, que é de outros protocolos e não de HTTP, e à qual o Batuta não se conecta',
  ],
  [
    'Batuta does not connect to 10.0.0.1, port 443: it has no public address, and is not in the list of allowed hosts (setting EVENT_ALLOW_HOSTS)',
    'o Batuta não se conecta a 10.0.0.1, porta 443: não tem endereço público e não está na lista de servidores permitidos (configuração EVENT_ALLOW_HOSTS)',
  ],
])('the refusal "%s" of an address of events is shown in the language of the user', (text, shown) => {
  const refusal = new CallError(400, 'BAD_REQUEST', `url: ${text}`, 'request-1');
  expect(translationOf(refusal)).toBe(shown);
  expect(errorText(refusal)).toBe(`url: ${shown}`);
});

test.each([
  new CallError(400, 'BAD_REQUEST', 'url: is beyond the moon'),
  new CallError(409, 'CONFLICT', 'url: must have no fragment'),
  new Error('url: must have no fragment'),
])('an error that is no refusal of an address, such as %p, gets no translation', (error) => {
  expect(translationOf(error)).toBeUndefined();
});

test('each refusal of an address has a translation, and the English one is what the API says', () => {
  expect(english.rules).toEqual(ADDRESS_REFUSALS);
  expect(Object.keys(portuguese.rules)).toEqual(Object.keys(ADDRESS_REFUSALS));
});
