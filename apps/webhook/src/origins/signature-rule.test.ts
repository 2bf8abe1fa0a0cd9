import type { SignatureSecret } from './sealed-columns';
import { requireUsableRule } from './signature-rule';

const signatureRule: SignatureSecret = { header: 'X-Hub-Signature-256', secret: 's', toleranceSeconds: null };

test.each<[string, Partial<SignatureSecret>]>([
  ['no tolerance', {}],
  ['a tolerance of a second', { toleranceSeconds: 1 }],
  ['a tolerance of a day', { toleranceSeconds: 86_400 }],
  ['the longest secret', { secret: 's'.repeat(200) }],
  ['a secret of Standard Webhooks', { header: 'Webhook-Signature', secret: `whsec_${'QUJD'.repeat(8)}` }],
  ['a plain secret in the header of Standard Webhooks', { header: 'Webhook-Signature', secret: 's' }],
  ['a secret of Stripe, which is no base64', { header: 'Stripe-Signature', secret: 'whsec_a' }],
])('a signature rule with %s is accepted', (_, change) =>
  expect(() => requireUsableRule({ ...signatureRule, ...change })).not.toThrow(),
);

test.each<[string, Partial<SignatureSecret>, RegExp]>([
  ['an empty header', { header: '' }, /^signature\.header:/],
  ['a header with a space', { header: 'X Signature' }, /^signature\.header:/],
  ['a header with a line end', { header: 'X-Signature\n' }, /^signature\.header:/],
  ['a header that carries a credential', { header: 'authorization' }, /^signature\.header:/],
  ['a header of cookies', { header: 'Cookie' }, /^signature\.header:/],
  ['the header of the process key', { header: 'X-PROCESS-KEY' }, /^signature\.header:/],
  ['an empty secret', { secret: '' }, /^signature\.secret:/],
  ['too long a secret', { secret: 's'.repeat(201) }, /^signature\.secret:(?!.*sss)/],
  [
    'a secret of Standard Webhooks that is no base64',
    { header: 'webhook-signature', secret: `whsec_${'-_'.repeat(16)}` },
    /^signature\.secret: must be whsec_/,
  ],
  [
    'a secret of Standard Webhooks of 21 bytes',
    { header: 'svix-signature', secret: `whsec_${'QUJD'.repeat(7)}` },
    /^signature\.secret: must be whsec_/,
  ],
  ['a tolerance of 0 seconds', { toleranceSeconds: 0 }, /^signature\.toleranceSeconds:/],
  ['a tolerance of 1.5 seconds', { toleranceSeconds: 1.5 }, /^signature\.toleranceSeconds:/],
  ['a tolerance above a day', { toleranceSeconds: 86_401 }, /^signature\.toleranceSeconds:/],
])('a signature rule with %s is refused', (_, change, message) =>
  expect(() => requireUsableRule({ ...signatureRule, ...change })).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringMatching(message) }),
  ),
);
