import { CallError } from '../api/error';
import { i18n } from '../i18n/instance';
import { applyError } from './form-errors';
import portuguese from './locales/pt-BR.json';

beforeAll(() => i18n.init({ lng: 'pt-BR', defaultNS: 'common', resources: { 'pt-BR': { common: portuguese } } }));

const refusal = (message: string, status = 400) =>
  CallError.of(new Response(null, { status }), { error: { code: 'BAD_REQUEST', message } });

function formWith(values: Record<string, unknown>) {
  const errors: Record<string, string> = {};
  return { errors, getValues: () => values, setFieldError: (path: string, error: string) => (errors[path] = error) };
}

test('a refusal is shown at the field that it names', () => {
  const form = formWith({ matrix: [{ name: '' }], processName: '' });
  expect(applyError(form, refusal('matrix[0].name: is empty'))).toBe(true);
  expect(form.errors).toEqual({ 'matrix.0.name': 'está vazio' });
});

test('a refusal that states no known rule is shown as the API wrote it', () => {
  const form = formWith({ cronExpression: '' });
  applyError(form, refusal('cronExpression: the field "hour" holds what cron does not know'));
  expect(form.errors).toEqual({ cronExpression: 'the field "hour" holds what cron does not know' });
});

test.each([
  ['of a field that the form lacks', refusal('environmentID: is unknown')],
  ['that names no field', refusal('The flow has problems.')],
  ['that is no refusal of the input', refusal('processName: is taken', 409)],
  ['of another kind', new Error('processName: is empty')],
])('an error %s is left to the caller', (_, error) => {
  const form = formWith({ processName: '' });
  expect(applyError(form, error)).toBe(false);
  expect(form.errors).toEqual({});
});
