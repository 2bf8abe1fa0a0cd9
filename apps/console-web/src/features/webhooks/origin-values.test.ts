import type { OriginAnswer } from '../../api/generated/console-api';
import { changesOf } from '../../common/concurrent-edit';
import {
  originBodyOf,
  changeOf,
  editedSettings,
  NEW_ORIGIN,
  settingsOf,
  originValuesOf,
  type OriginValues,
} from './origin-values';

const signedOrigin: OriginAnswer = {
  id: 'o',
  processID: 'p',
  name: 'Shop',
  enabled: true,
  responseMode: 'Aguardar',
  waitSeconds: 20,
  signature: { header: 'X-Signature', toleranceSeconds: 60 },
  devUrl: 'https://example.com/dev',
  prodUrl: 'https://example.com/prod',
  createdAt: '2026-01-01T00:00:00.000Z',
};

test('a change of an origin that keeps the signature rule sends none', () => {
  expect(originBodyOf(originValuesOf(signedOrigin))).toEqual({
    name: 'Shop',
    responseMode: 'Aguardar',
    waitSeconds: 20,
  });
});

test('a change of an origin that removes the signature rule sends null', () => {
  expect(originBodyOf({ ...originValuesOf(signedOrigin), choice: 'none' })).toMatchObject({ signature: null });
});

test('a signature without a tolerance sends null as its tolerance', () => {
  const signature = { header: 'X-Signature', secret: 'abc', toleranceSeconds: '' };
  expect(originBodyOf({ ...NEW_ORIGIN, name: 'Shop', choice: 'set', signature })).toMatchObject({
    signature: { header: 'X-Signature', secret: 'abc', toleranceSeconds: null },
  });
});

test('an origin that answers at once sends no wait', () => {
  expect(originBodyOf({ ...NEW_ORIGIN, waitSeconds: '' })).not.toHaveProperty('waitSeconds');
});

const changeBy = (edit: Partial<OriginValues>, origin = signedOrigin) => {
  const values = { ...originValuesOf(origin), ...edit };
  return changeOf(values, changesOf(settingsOf(origin), editedSettings(origin, values)));
};
const secret = { header: 'X-Signature', secret: 'abc', toleranceSeconds: 60 };

test.each<[string, Partial<OriginValues>, object]>([
  ['that changes nothing', {}, {}],
  ['of the name', { name: 'Store' }, { name: 'Store' }],
  ['of the wait', { waitSeconds: 30 }, { waitSeconds: 30 }],
  ['to an answer at once', { responseMode: 'Imediata', waitSeconds: '' }, { responseMode: 'Imediata' }],
  ['that ends the signature', { choice: 'none' }, { signature: null }],
  ['of the secret under the same header', { choice: 'set', signature: secret }, { signature: secret }],
])('an edit of an origin %s sends no other setting', (_, edit, expected) => {
  expect(changeBy(edit)).toEqual(expected);
});

test('an edit of an origin without a signature leaves the signature that another window sets', () => {
  expect(changeBy({ name: 'Store' }, { ...signedOrigin, signature: null })).toEqual({ name: 'Store' });
});
