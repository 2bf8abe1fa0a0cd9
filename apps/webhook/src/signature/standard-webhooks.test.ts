import { createHmac } from 'node:crypto';
import type { SignatureSecret } from '../origins/sealed-columns';
import { createExampleCheck, type ExampleChange } from '../../test/signed-example';

/** The published example of Standard Webhooks. */
const MESSAGE_ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const TIMESTAMP = 1_614_265_330;
const BODY = '{"test": 2432232314}';
const DIGEST = 'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const RULE: SignatureSecret = {
  header: 'Webhook-Signature',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  toleranceSeconds: null,
};

const checkExample = createExampleCheck({
  rule: RULE,
  headers: {
    'webhook-id': MESSAGE_ID,
    'webhook-timestamp': String(TIMESTAMP),
    'webhook-signature': `v1,${DIGEST}`,
  },
  body: BODY,
  now: TIMESTAMP,
});

const OTHER_DIGEST = createHmac('sha256', 'another secret').update(BODY).digest('base64');

test.each<[string, ExampleChange]>([
  ['the published example', {}],
  ['the newest that five minutes allow', { now: TIMESTAMP - 300 }],
  ['the oldest that five minutes allow', { now: TIMESTAMP + 300 }],
  ['one as old as the tolerance of the origin', { rule: { toleranceSeconds: 600 }, now: TIMESTAMP + 600 }],
  ['one of two secrets in a rotation', { headers: { 'webhook-signature': `v1,${OTHER_DIGEST} v1,${DIGEST}` } }],
  ['one in the first of two header lines', { headers: { 'webhook-signature': `v1,${DIGEST}, v1,${OTHER_DIGEST}` } }],
  ['one beside an asymmetric signature', { headers: { 'webhook-signature': `v1a,${OTHER_DIGEST} v1,${DIGEST}` } }],
])('a signature of Standard Webhooks is accepted, with the id of its message: %s', (_, given) => {
  expect(checkExample(given)).toBe(MESSAGE_ID);
});

test('a signature in the headers of Svix is accepted like one of Standard Webhooks', () => {
  const headers = {
    'webhook-signature': undefined,
    'svix-id': MESSAGE_ID,
    'svix-timestamp': String(TIMESTAMP),
    'svix-signature': `v1,${DIGEST}`,
  };
  expect(checkExample({ rule: { header: 'svix-signature' }, headers })).toBe(MESSAGE_ID);
});

test.each<[string, ExampleChange, RegExp]>([
  ['it is older than five minutes', { now: TIMESTAMP + 301 }, /too far from now/],
  ['its clock is far ahead', { now: TIMESTAMP - 301 }, /too far from now/],
  ['it is older than the origin allows', { rule: { toleranceSeconds: 10 }, now: TIMESTAMP + 11 }, /too far from now/],
  ['it has no timestamp', { headers: { 'webhook-timestamp': undefined } }, /no timestamp/],
  ['its timestamp is not a number', { headers: { 'webhook-timestamp': 'now' } }, /no timestamp/],
  ['another timestamp was signed', { headers: { 'webhook-timestamp': String(TIMESTAMP + 1) } }, /does not fit/],
  ['it has no id', { headers: { 'webhook-id': undefined } }, /no id/],
  ['its id is empty', { headers: { 'webhook-id': '' } }, /no id/],
  ['another id was signed', { headers: { 'webhook-id': 'msg_2' } }, /does not fit/],
  ['it is of another body', { body: `${BODY} ` }, /does not fit/],
  ['the header is missing', { headers: { 'webhook-signature': undefined } }, /is missing/],
  ['it has only an asymmetric signature', { headers: { 'webhook-signature': `v1a,${DIGEST}` } }, /does not fit/],
  ['its digest is empty', { headers: { 'webhook-signature': 'v1,' } }, /does not fit/],
  ['the secret has no prefix', { rule: { secret: RULE.secret.slice(6) } }, /whsec_/],
])('a signature of Standard Webhooks is refused when %s', (_, given, problem) => {
  const refusal = checkExample(given);
  expect(refusal).toMatch(/^WEBHOOK_SIGNATURE_INVALID Webhook-Signature: the signature/);
  expect(refusal).toMatch(problem);
  expect(refusal).not.toContain(RULE.secret.slice(6));
});

test.each(['1', '____', 'whsec_', 'whsec_AAAA', 'whsec_====', "It's a Secret to Everybody"])(
  'a signature of Standard Webhooks is refused for the secret %j, whose key could be guessed',
  (secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const guessed = createHmac('sha256', key).update(`${MESSAGE_ID}.${TIMESTAMP}.${BODY}`).digest('base64');
    const refusal = checkExample({ rule: { secret }, headers: { 'webhook-signature': `v1,${guessed}` } });
    expect(refusal).toMatch(/^WEBHOOK_SIGNATURE_INVALID/);
  },
);

// The example calls that the console shows have this form: the console does not know whether a secret is one of Standard Webhooks.
test('a signature in the form of Stripe with the whole secret as text is accepted in the header of Standard Webhooks', () => {
  const digest = createHmac('sha256', RULE.secret).update(`${TIMESTAMP}.${BODY}`).digest('hex');
  const headers = {
    'webhook-id': undefined,
    'webhook-timestamp': undefined,
    'webhook-signature': `t=${TIMESTAMP},v1=${digest}`,
  };
  expect(checkExample({ headers })).toBe('accepted');
});
