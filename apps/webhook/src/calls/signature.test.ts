import { ApiError } from '@batuta/errors';
import * as fc from 'fast-check';
import { createHmac } from 'node:crypto';
import type { SignatureSecret } from '../origins/sealing';
import { requireSignature } from './signature';

const HEADER = 'X-Hub-Signature-256';
const NOW = 1_492_774_600;
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
const rule = (change: Partial<SignatureSecret> = {}): SignatureSecret => ({
  header: HEADER,
  secret: 'whsec_test',
  toleranceSeconds: null,
  ...change,
});

function judge(given: SignatureSecret, value: string | undefined, body = 'Hello, World!'): string {
  const headers: Record<string, string> = value === undefined ? {} : { [HEADER.toLowerCase()]: value };
  try {
    requireSignature(given, { body: Buffer.from(body), headers }, NOW);
    return 'taken';
  } catch (error) {
    return error instanceof ApiError ? `${error.code} ${error.message}` : String(error);
  }
}

describe('GitHub', () => {
  const github = rule({ secret: "It's a Secret to Everybody" });
  /** As its documentation prints it for these two. */
  const DIGEST = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

  test.each([`sha256=${DIGEST}`, DIGEST, DIGEST.toUpperCase(), `SHA256=${DIGEST}`, ` sha256=${DIGEST} `])(
    'takes %j',
    (value) => expect(judge(github, value)).toBe('taken'),
  );

  test.each<[string, string | undefined, string | undefined]>([
    ['none', undefined, undefined],
    ['an empty one', '', undefined],
    ['one over another body', `sha256=${DIGEST}`, 'Hello, World?'],
    ['a changed digit', `sha256=${DIGEST.replace('7', '8')}`, undefined],
    ['one that is cut', `sha256=${DIGEST.slice(0, -1)}`, undefined],
    ['one with something behind it', `sha256=${DIGEST}00`, undefined],
    ['another algorithm', `sha1=${DIGEST}`, undefined],
    ['one of an empty body', `sha256=${hmac(github.secret, '')}`, undefined],
  ])('refuses %s', (_, value, body) => {
    const refusal = judge(github, value, body);
    expect(refusal).toMatch(/^WEBHOOK_SIGNATURE_INVALID X-Hub-Signature-256: the signature/);
    expect(refusal).not.toContain(github.secret);
  });

  test('refuses one made with another secret', () => {
    expect(judge(rule(), `sha256=${DIGEST}`)).toMatch(/^WEBHOOK_SIGNATURE_INVALID/);
  });

  test('has no timestamp, so a tolerance refuses it', () => {
    expect(judge({ ...github, toleranceSeconds: 300 }, `sha256=${DIGEST}`)).toMatch(/no timestamp/);
  });
});

describe('Stripe', () => {
  const signed = (t: number | string, body = 'Hello, World!', secret = 'whsec_test') => hmac(secret, `${t}.${body}`);
  const old = NOW - 300;

  test.each<[string, string, number | null]>([
    ['a fresh one', `t=${NOW},v1=${signed(NOW)}`, 300],
    ['one just as old as it may be', `t=${old},v1=${signed(old)}`, 300],
    ['one of a clock that is a little ahead', `t=${NOW + 5},v1=${signed(NOW + 5)}`, 300],
    ['one of several', `t=${NOW},v1=${'0'.repeat(64)},v1=${signed(NOW)},v0=${'1'.repeat(64)}`, 300],
    ['an old one without a tolerance', `t=1,v1=${signed(1)}`, null],
    ['white space between', `t=${NOW}, v1=${signed(NOW)}`, 300],
  ])('takes %s', (_, value, toleranceSeconds) => {
    expect(judge(rule({ toleranceSeconds }), value)).toBe('taken');
  });

  test.each<[string, string]>([
    ['one a second too old', `t=${old - 1},v1=${signed(old - 1)}`],
    ['one far ahead', `t=${NOW + 301},v1=${signed(NOW + 301)}`],
    ['another time than was signed', `t=${NOW},v1=${signed(NOW - 1)}`],
    ['the old scheme only', `t=${NOW},v0=${signed(NOW)}`],
    ['no digest', `t=${NOW}`],
    ['no time', `v1=${signed(NOW)}`],
    ['a time that is no number', `t=now,v1=${signed('now')}`],
    ['an empty time', `t=,v1=${signed('')}`],
    ['another body', `t=${NOW},v1=${signed(NOW, 'Hello')}`],
    ['another secret', `t=${NOW},v1=${signed(NOW, undefined, 'whsec_other')}`],
  ])('refuses %s', (_, value) => {
    expect(judge(rule({ toleranceSeconds: 300 }), value)).toMatch(/^WEBHOOK_SIGNATURE_INVALID/);
  });
});

test('a digest may come in base64, as shops send it', () => {
  const digest = createHmac('sha256', 'whsec_test').update('{"id":1}').digest('base64');
  expect(judge(rule(), digest, '{"id":1}')).toBe('taken');
  expect(judge(rule(), digest, '{"id":2}')).toMatch(/^WEBHOOK_SIGNATURE_INVALID/);
  expect(judge(rule(), digest.slice(0, -1), '{"id":1}')).toMatch(/^WEBHOOK_SIGNATURE_INVALID/);
});

test('the header’s name is compared without case, and no other one is looked at', () => {
  const call = { body: Buffer.from('a'), headers: { 'x-mine': hmac('whsec_test', 'a') } };
  expect(() => requireSignature(rule({ header: 'X-MINE' }), call, NOW)).not.toThrow();
  expect(() => requireSignature(rule({ header: 'constructor' }), call, NOW)).toThrow(
    /constructor: the signature is missing/,
  );
});

test('no header is taken by chance, and none does more than be refused', () => {
  const field = fc.oneof(fc.string(), fc.stringMatching(/^(t|v1|sha256)=[0-9a-f]{0,64}$/));
  fc.assert(
    fc.property(fc.array(field), fc.option(fc.nat()), (fields, toleranceSeconds) => {
      expect(judge(rule({ toleranceSeconds }), fields.join(','))).toMatch(/^WEBHOOK_SIGNATURE_INVALID/);
    }),
  );
});
