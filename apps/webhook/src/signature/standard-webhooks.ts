import type { SignatureSecret } from '../origins/sealed-columns';
import { DEFAULT_TOLERANCE_SECONDS, type ReceivedSignature } from './received-signature';

/** The fewest bytes that Standard Webhooks allows. A short secret would decode to a key that can be guessed. */
const MIN_KEY_BYTES = 24;
const SECRET_PATTERN = /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/** Whether the value of a signature header is a list of `v1,<base64>` (or `v1a`, which is asymmetric), separated by spaces. */
export function isStandardWebhooks(value: string): boolean {
  return /(?:^| )v1a?,/.test(value);
}

/**
 * The signature of Standard Webhooks, of `<id>.<timestamp>.<body>`. Id and timestamp have headers of their own, named like that
 * of the signature: `webhook-id` beside `webhook-signature`. Several signatures arrive while a sender rotates its secret; Node joins
 * those of several header lines by `, `.
 */
export function readStandardWebhooks(
  { header, secret, toleranceSeconds }: SignatureSecret,
  value: string,
  headers: Record<string, string>,
): ReceivedSignature {
  const family = header.toLowerCase().replace(/signature$/, '');
  const { [`${family}id`]: messageID = '', [`${family}timestamp`]: timestamp } = headers;
  const digests = value.split(/,? /).filter((one) => one.startsWith('v1,'));
  return {
    key: messageID === '' ? undefined : standardWebhooksKey(secret),
    prefix: `${messageID}.${timestamp}.`,
    timestamp,
    toleranceSeconds: toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS,
    digests: digests.map((one) => one.slice(3)),
    messageID,
  };
}

/** Decodes the key of a secret `whsec_<base64>`. Undefined for a secret of another form or with too few bytes. */
export function standardWebhooksKey(secret: string): Buffer | undefined {
  const key = Buffer.from(SECRET_PATTERN.exec(secret)?.[1] ?? '', 'base64');
  return key.length >= MIN_KEY_BYTES ? key : undefined;
}
