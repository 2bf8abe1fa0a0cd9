import { createHmac } from 'node:crypto';
import type { SignatureSecret } from '../origins/sealed-columns';
import { createExampleCheck, type ExampleChange } from '../../test/signed-example';

/** The example of Slack's documentation, whose body is a form. */
const TIMESTAMP = 1_531_420_618;
const BODY =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
const DIGEST = 'a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';
const RULE: SignatureSecret = {
  header: 'X-Slack-Signature',
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  toleranceSeconds: null,
};

const checkExample = createExampleCheck({
  rule: RULE,
  headers: {
    'x-slack-request-timestamp': String(TIMESTAMP),
    'x-slack-signature': `v0=${DIGEST}`,
  },
  body: BODY,
  now: TIMESTAMP,
});

const digestWith = (secret: string) => createHmac('sha256', secret).update(`v0:${TIMESTAMP}:${BODY}`).digest('hex');

test.each<[string, ExampleChange]>([
  ['the published example', {}],
  ['the newest that five minutes allow', { now: TIMESTAMP - 300 }],
  ['the oldest that five minutes allow', { now: TIMESTAMP + 300 }],
  ['one as old as the tolerance of the origin', { rule: { toleranceSeconds: 600 }, now: TIMESTAMP + 600 }],
  ['one of two header lines', { headers: { 'x-slack-signature': `v0=${digestWith('another secret')}, v0=${DIGEST}` } }],
])('a signature of Slack is accepted: %s', (_, given) => {
  expect(checkExample(given)).toBe('accepted');
});

test('a signature of Zoom, which has the form of Slack in headers of its own, is accepted', () => {
  const headers = {
    'x-slack-request-timestamp': undefined,
    'x-slack-signature': undefined,
    'x-zm-request-timestamp': String(TIMESTAMP),
    'x-zm-signature': `v0=${DIGEST}`,
  };
  expect(checkExample({ rule: { header: 'x-zm-signature' }, headers })).toBe('accepted');
});

test.each<[string, ExampleChange, RegExp]>([
  ['it is older than five minutes', { now: TIMESTAMP + 301 }, /timestamp/],
  ['it is older than the tolerance', { rule: { toleranceSeconds: 60 }, now: TIMESTAMP + 61 }, /timestamp/],
  ['its timestamp is missing', { headers: { 'x-slack-request-timestamp': undefined } }, /timestamp/],
  ['its timestamp is no number', { headers: { 'x-slack-request-timestamp': 'now' } }, /timestamp/],
  ['its timestamp is changed', { headers: { 'x-slack-request-timestamp': String(TIMESTAMP + 1) } }, /fit/],
  ['its body is changed', { body: `${BODY}&a=1` }, /fit/],
  ['it is made with another secret', { headers: { 'x-slack-signature': `v0=${digestWith('another secret')}` } }, /fit/],
  ['it is empty', { headers: { 'x-slack-signature': 'v0=' } }, /fit/],
])('a signature of Slack is refused when %s', (_, given, problem) => {
  const refusal = checkExample(given);
  expect(refusal).toMatch(/^WEBHOOK_SIGNATURE_INVALID X-Slack-Signature: the signature/);
  expect(refusal).toMatch(problem);
});
