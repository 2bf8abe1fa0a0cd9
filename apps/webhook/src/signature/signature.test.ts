import { ApiError } from '@batuta/errors';
import * as fc from 'fast-check';
import { createHmac } from 'node:crypto';
import type { SignatureSecret } from '../origins/sealed-columns';
import { requireSignature } from './signature';

const SIGNATURE_HEADER = 'X-Hub-Signature-256';
const NOW_SECONDS = 1_492_774_600;
const hmacHex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
const signatureRule = (change: Partial<SignatureSecret> = {}): SignatureSecret => ({
  header: SIGNATURE_HEADER,
  secret: 'whsec_test',
  toleranceSeconds: null,
  ...change,
});

function checkSignature(given: SignatureSecret, value: string | undefined, body = 'Hello, World!'): string {
  const headers: Record<string, string> = value === undefined ? {} : { [SIGNATURE_HEADER.toLowerCase()]: value };
  try {
    requireSignature(given, { body: Buffer.from(body), headers }, NOW_SECONDS);
    return 'accepted';
  } catch (error) {
    return error instanceof ApiError ? `${error.code} ${error.message}` : String(error);
  }
}

describe('GitHub', () => {
  const github = signatureRule({ secret: "It's a Secret to Everybody" });
  /** The example of GitHub's documentation for this secret and body. */
  const DIGEST = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

  test.each([`sha256=${DIGEST}`, DIGEST, DIGEST.toUpperCase(), `SHA256=${DIGEST}`, ` sha256=${DIGEST} `])(
    'a signature in the form of GitHub is accepted as %j',
    (value) => expect(checkSignature(github, value)).toBe('accepted'),
  );

  test.each<[string, string | undefined, string | undefined]>([
    ['the header is missing', undefined, undefined],
    ['the header is empty', '', undefined],
    ['it is of another body', `sha256=${DIGEST}`, 'Hello, World?'],
    ['a digit is changed', `sha256=${DIGEST.replace('7', '8')}`, undefined],
    ['it is cut off', `sha256=${DIGEST.slice(0, -1)}`, undefined],
    ['it has digits appended', `sha256=${DIGEST}00`, undefined],
    ['it names another algorithm', `sha1=${DIGEST}`, undefined],
    ['it is of an empty body', `sha256=${hmacHex(github.secret, '')}`, undefined],
  ])('a signature in the form of GitHub is refused when %s', (_, value, body) => {
    const refusal = checkSignature(github, value, body);
    expect(refusal).toMatch(/^WEBHOOK_SIGNATURE_INVALID X-Hub-Signature-256: the signature/);
    expect(refusal).not.toContain(github.secret);
  });

  test('a signature in the form of GitHub is refused when it was made with another secret', () => {
    expect(checkSignature(signatureRule(), `sha256=${DIGEST}`)).toMatch(/^WEBHOOK_SIGNATURE_INVALID/);
  });

  test('a signature in the form of GitHub is refused by a rule with a tolerance, because it has no timestamp', () => {
    expect(checkSignature({ ...github, toleranceSeconds: 300 }, `sha256=${DIGEST}`)).toMatch(/no timestamp/);
  });
});

describe('Stripe', () => {
  const stripeDigest = (t: number | string, body = 'Hello, World!', secret = 'whsec_test') =>
    hmacHex(secret, `${t}.${body}`);
  const old = NOW_SECONDS - 300;

  test.each<[string, string, number | null]>([
    ['it is recent', `t=${NOW_SECONDS},v1=${stripeDigest(NOW_SECONDS)}`, 300],
    ['it has the maximum age', `t=${old},v1=${stripeDigest(old)}`, 300],
    ['its clock is a little ahead', `t=${NOW_SECONDS + 5},v1=${stripeDigest(NOW_SECONDS + 5)}`, 300],
    [
      'one of several digests is valid',
      `t=${NOW_SECONDS},v1=${'0'.repeat(64)},v1=${stripeDigest(NOW_SECONDS)},v0=${'1'.repeat(64)}`,
      300,
    ],
    ['it is old and the rule has no tolerance', `t=1,v1=${stripeDigest(1)}`, null],
    ['it contains white space', `t=${NOW_SECONDS}, v1=${stripeDigest(NOW_SECONDS)}`, 300],
  ])('a signature in the form of Stripe is accepted when %s', (_, value, toleranceSeconds) => {
    expect(checkSignature(signatureRule({ toleranceSeconds }), value)).toBe('accepted');
  });

  test.each<[string, string]>([
    ['it is a second too old', `t=${old - 1},v1=${stripeDigest(old - 1)}`],
    ['its clock is far ahead', `t=${NOW_SECONDS + 301},v1=${stripeDigest(NOW_SECONDS + 301)}`],
    ['its timestamp is not the signed one', `t=${NOW_SECONDS},v1=${stripeDigest(NOW_SECONDS - 1)}`],
    ['it has only a digest of the old scheme v0', `t=${NOW_SECONDS},v0=${stripeDigest(NOW_SECONDS)}`],
    ['it has no digest', `t=${NOW_SECONDS}`],
    ['it has no timestamp', `v1=${stripeDigest(NOW_SECONDS)}`],
    ['its timestamp is not a number', `t=now,v1=${stripeDigest('now')}`],
    ['its timestamp is empty', `t=,v1=${stripeDigest('')}`],
    ['it is of another body', `t=${NOW_SECONDS},v1=${stripeDigest(NOW_SECONDS, 'Hello')}`],
    ['it was made with another secret', `t=${NOW_SECONDS},v1=${stripeDigest(NOW_SECONDS, undefined, 'whsec_other')}`],
  ])('a signature in the form of Stripe is refused when %s', (_, value) => {
    expect(checkSignature(signatureRule({ toleranceSeconds: 300 }), value)).toMatch(/^WEBHOOK_SIGNATURE_INVALID/);
  });

  test('the refusal of a timestamp of the future does not call it old', () => {
    const later = NOW_SECONDS + 301;
    const value = `t=${later},v1=${stripeDigest(later)}`;
    expect(checkSignature(signatureRule({ toleranceSeconds: 300 }), value)).toMatch(/too far from now/);
  });
});

test('a signature may be plain base64, as shops send it', () => {
  const digest = createHmac('sha256', 'whsec_test').update('{"id":1}').digest('base64');
  expect(checkSignature(signatureRule(), digest, '{"id":1}')).toBe('accepted');
  expect(checkSignature(signatureRule(), digest, '{"id":2}')).toMatch(/^WEBHOOK_SIGNATURE_INVALID/);
  expect(checkSignature(signatureRule(), digest.slice(0, -1), '{"id":1}')).toMatch(/^WEBHOOK_SIGNATURE_INVALID/);
});

test('the name of the signature header is case-insensitive, and other headers are ignored', () => {
  const call = { body: Buffer.from('a'), headers: { 'x-mine': hmacHex('whsec_test', 'a') } };
  expect(() => requireSignature(signatureRule({ header: 'X-MINE' }), call, NOW_SECONDS)).not.toThrow();
  expect(() => requireSignature(signatureRule({ header: 'constructor' }), call, NOW_SECONDS)).toThrow(
    /constructor: the signature is missing/,
  );
});

test('any header value that is no valid signature is refused with WEBHOOK_SIGNATURE_INVALID and no other error', () => {
  const field = fc.oneof(fc.string(), fc.stringMatching(/^(t|v1|sha256)=[0-9a-f]{0,64}$/));
  fc.assert(
    fc.property(fc.array(field), fc.option(fc.nat()), (fields, toleranceSeconds) => {
      expect(checkSignature(signatureRule({ toleranceSeconds }), fields.join(','))).toMatch(
        /^WEBHOOK_SIGNATURE_INVALID/,
      );
    }),
  );
});
