import { isSecretName } from './secret-name';

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
