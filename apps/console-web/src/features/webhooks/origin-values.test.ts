import type { OriginAnswer } from '../../api/generated/console-api';
import { bodyOf, NEW_ORIGIN, valuesOf } from './origin-values';

const signed: OriginAnswer = {
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

test('a change that keeps the signature does not send one', () => {
  expect(bodyOf(valuesOf(signed))).toEqual({ name: 'Shop', responseMode: 'Aguardar', waitSeconds: 20 });
});

test('a change that ends the signature sends null', () => {
  expect(bodyOf({ ...valuesOf(signed), choice: 'none' })).toMatchObject({ signature: null });
});

test('a signature without an age of its timestamp sends null for it', () => {
  const signature = { header: 'X-Signature', secret: 'abc', toleranceSeconds: '' };
  expect(bodyOf({ ...NEW_ORIGIN, name: 'Shop', choice: 'set', signature })).toMatchObject({
    signature: { header: 'X-Signature', secret: 'abc', toleranceSeconds: null },
  });
});

test('an origin that answers at once sends no wait', () => {
  expect(bodyOf({ ...NEW_ORIGIN, waitSeconds: '' })).not.toHaveProperty('waitSeconds');
});
