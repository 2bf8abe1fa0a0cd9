import { readRouterConfig } from './config';

const REQUIRED = { DATABASE_URL: 'mysql://u:p@localhost/batuta', NATS_URL: 'nats://localhost:4222' };

test.each([
  ['OFFER_SECONDS', 'CLAIM_SECONDS', { OFFER_SECONDS: '15' }],
  ['OFFER_SECONDS', 'CLAIM_SECONDS', { OFFER_SECONDS: '60', CLAIM_SECONDS: '60' }],
  ['HEARTBEAT_SECONDS', 'LEASE_SECONDS', { HEARTBEAT_SECONDS: '6' }],
])('the refusal of a %s that is too long for %s names both', (name, other, given) => {
  expect(() => readRouterConfig({ ...REQUIRED, ...given })).toThrow(
    new RegExp(`^Settings are wrong:\\n {2}${name}: must be .*${other}`),
  );
});

test('an offer may last as long as the claim allows, and one refusal names every wrong pair', () => {
  const given = { OFFER_SECONDS: '59', CLAIM_SECONDS: '60' };
  expect(readRouterConfig({ ...REQUIRED, ...given })).toMatchObject({ OFFER_SECONDS: 59, CLAIM_SECONDS: 60 });
  const wrong = { OFFER_SECONDS: '20', LEASE_SECONDS: '10' };
  expect(() => readRouterConfig({ ...REQUIRED, ...wrong })).toThrow(/HEARTBEAT_SECONDS.*\n {2}OFFER_SECONDS/);
});
