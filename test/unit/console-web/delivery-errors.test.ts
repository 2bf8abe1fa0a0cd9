import { DISABLED_REASONS } from '@batuta/contracts';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DELIVERY_ERRORS, deliveryErrorText } from '../../../apps/console-web/src/features/events/delivery-errors';
import english from '../../../apps/console-web/src/features/events/locales/en.json';
import portuguese from '../../../apps/console-web/src/features/events/locales/pt-BR.json';
import { i18n } from '../../../apps/console-web/src/i18n/instance';
import { closedReason } from '../../../apps/webhook/src/event-deliveries/closed-reason';

const ROOT = join(__dirname, '../../..');

beforeEach(() =>
  i18n.init({
    lng: 'pt-BR',
    resources: { 'pt-BR': { events: portuguese } },
    interpolation: { escapeValue: false },
  }),
);

/** The source files of the service that writes the errors. */
const sources = globSync('apps/webhook/src/**/*.ts', { cwd: ROOT })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(ROOT, file), 'utf8'));

/** Where a part of a text ends: the code composes a text of parts. */
const PART_END = /\{\{\w\}\}|: |(?=; )/;

// If the service changes a text, it appears in English on Portuguese pages.
test.each(Object.entries(DELIVERY_ERRORS))(
  'the service still writes the error of a delivery that the translation "%s" expects',
  (_, text) => {
    const parts = text
      .split(PART_END)
      .filter((part) => part !== '' && !DISABLED_REASONS.some((reason) => reason === part));
    expect(parts.filter((part) => !sources.some((code) => code.includes(part.trim())))).toEqual([]);
  },
);

test('each reason for which the service ends a waiting delivery is a known error of a delivery', () => {
  const reasons = sources.flatMap((code) =>
    Array.from(code.matchAll(/endOfWaiting\('([^']+)'\)/g), ([, text]) => text),
  );
  const switchedOff = [null, ...DISABLED_REASONS].map((reason) => ({
    enabled: 0,
    disabled_reason: reason,
    suspended: 0,
  }));
  const closed = [undefined, ...switchedOff, { enabled: 1, disabled_reason: null, suspended: 1 }].map(closedReason);
  expect(reasons).toHaveLength(2);
  expect(Object.values(DELIVERY_ERRORS)).toEqual(expect.arrayContaining([...reasons, ...closed]));
});

test('each refusal of an address has a translation, but for those of addresses that the console refuses before', () => {
  const code = readFileSync(join(ROOT, 'apps/webhook/src/event-subscriptions/event-address.ts'), 'utf8');
  const refusals = Array.from(code.matchAll(/(['`])((?:must|has|the host) .+?)\1/g), ([, , text = '']) =>
    text.replaceAll(/\$\{.+?\}/g, '7'),
  );
  expect(refusals).toContain('the host 7 has no address');
  expect(refusals.filter((text) => deliveryErrorText(text) === text)).toEqual([
    'must have at most 7 characters',
    'must be an absolute URL',
    'must begin with https://',
  ]);
});

test('each error of a delivery has a translation, and the English one is what the API says', () => {
  expect(english.errors).toEqual(DELIVERY_ERRORS);
  expect(Object.keys(portuguese.errors)).toEqual(Object.keys(DELIVERY_ERRORS));
});

test.each([
  ['the address answered 503', 'o endereço respondeu 503'],
  [
    'the address answered 302; redirects are not followed',
    'o endereço respondeu 302; redirecionamentos não são seguidos',
  ],
  ['no answer within 10000 ms', 'sem resposta em 10000 ms'],
  ['no connection: ECONNREFUSED', 'sem conexão: ECONNREFUSED'],
  ['the subscription is switched off: gone', 'a assinatura foi desligada: o endereço respondeu 410'],
  ['the subscription is switched off', 'a assinatura está desligada'],
  ['the subscription no longer asks for this event', 'a assinatura não pede mais este evento'],
  ['must have no fragment', 'não deve ter fragmento (a parte depois de #)'],
  ['a later release wrote this', 'a later release wrote this'],
])('the error of a delivery is in the language of the user as far as the product wrote it: %s', (error, shown) => {
  expect(deliveryErrorText(error)).toBe(shown);
});
