import { MASK } from './masking';
import { isSecretName, maskSecretNames } from './secret-names';

const SECRET_NAMES =
  'X-Api-Key Api-Key apikey X-Auth-Token X-Access-Token X-Csrf-Token X-XSRF-TOKEN X-Auth-Key ' +
  'Authorization X-Amz-Security-Token X-Gitlab-Token Cookie2 X-Auth X-Session-Id X-Client-Secret ' +
  'X-Hub-Signature-256 Stripe-Signature Signature X-Shopify-Hmac-Sha256 Ocp-Apim-Subscription-Key ' +
  'access_token api_key apiKey key sig password senha client_secret X-Functions-Key';

test.each(SECRET_NAMES.split(' '))('a header or query parameter named %s usually carries a secret', (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each([
  'X-Event',
  'X-Author',
  'Idempotency-Key',
  'Content-Type',
  'Host',
  'X-Request-Id',
  'page',
  'monkey',
  'keyword',
  'passenger',
])('a header or query parameter named %s is open', (name) => {
  expect(isSecretName(name)).toBe(false);
});

test('the mask replaces the values and keeps the names', () => {
  const stored = {
    truncated: false,
    body: '{"token":"b"}',
    query: 'a=%C3%A7&token=t1&token=t2',
    headers: { 'x-api-key': 'k', 'x-a': '1' },
  };
  const { body, query, headers } = maskSecretNames(stored);
  expect(body).toBe(stored.body);
  expect([...new URLSearchParams(query)]).toEqual([
    ['a', 'ç'],
    ['token', MASK],
    ['token', MASK],
  ]);
  expect(headers).toEqual({ 'x-api-key': MASK, 'x-a': '1' });
});

test('a query without secrets is stored as it was sent', () => {
  const stored = { truncated: true, body: '', query: 'a=%zz&&b', headers: {} };
  expect(maskSecretNames(stored)).toEqual(stored);
});
