import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { initReactI18next } from 'react-i18next';
import { CallError } from '../api/error';
import { i18n } from '../i18n/instance';
import { applyError, translatedText } from './form-errors';
import english from './locales/en.json';
import portuguese from './locales/pt-BR.json';

beforeEach(() =>
  i18n.use(initReactI18next).init({
    lng: 'pt-BR',
    defaultNS: 'common',
    resources: { 'pt-BR': { common: portuguese }, en: { common: english } },
    interpolation: { escapeValue: false },
  }),
);

const refusal = (message: string, status = 400) =>
  CallError.of(new Response(null, { status }), { error: { code: 'BAD_REQUEST', message } });

function formWith(values: Record<string, unknown>) {
  const errors: Record<string, ReactNode> = {};
  const shown = () =>
    Object.fromEntries(Object.entries(errors).map(([path, error]) => [path, renderToStaticMarkup(error)]));
  return { shown, getValues: () => values, setFieldError: (path: string, error: ReactNode) => (errors[path] = error) };
}

test('a form shows a refusal at the field that it names', () => {
  const form = formWith({ matrix: [{ name: '' }], processName: '' });
  expect(applyError(form, refusal('matrix[0].name: is empty'))).toBe(true);
  expect(form.shown()).toEqual({ 'matrix.0.name': 'está vazio' });
});

test('a shown refusal changes to the language that the user chooses, also one that only its screen translates', async () => {
  const form = formWith({ name: '', url: '' });
  const ofScreen = refusal('url: is beyond the moon');
  ofScreen.translation = () => `moon in ${i18n.language}`;
  applyError(form, refusal('name: is empty'));
  applyError(form, ofScreen);
  expect(form.shown()).toEqual({ name: 'está vazio', url: 'moon in pt-BR' });
  await i18n.changeLanguage('en');
  expect(form.shown()).toEqual({ name: 'is empty', url: 'moon in en' });
});

test('a refusal that states no known rule is shown as the API wrote it', () => {
  const form = formWith({ cronExpression: '' });
  applyError(form, refusal('cronExpression: the field "hour" is beyond the moon'));
  expect(form.shown()).toEqual({ cronExpression: 'the field &quot;hour&quot; is beyond the moon' });
});

test.each([
  ['of a field that the form lacks', refusal('environmentID: is unknown')],
  ['that names no field', refusal('The flow has problems.')],
  ['that is no refusal of the input', refusal('processName: is taken', 409)],
  ['of another kind', new Error('processName: is empty')],
])('a form does not show an error %s, and leaves it to the caller', (_, error) => {
  const form = formWith({ processName: '' });
  expect(applyError(form, error)).toBe(false);
  expect(form.shown()).toEqual({});
});

test('a text that a form keeps changes to the language that the user chooses', async () => {
  const shown = translatedText('common:password.differs');
  expect(renderToStaticMarkup(shown)).toBe(portuguese.password.differs);
  await i18n.changeLanguage('en');
  expect(renderToStaticMarkup(shown)).toBe(english.password.differs);
});
