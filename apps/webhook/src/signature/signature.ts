import { ApiError } from '@batuta/errors';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureSecret } from '../origins/sealed-columns';
import type { ReceivedSignature } from './received-signature';
import { isStandardWebhooks, readStandardWebhooks } from './standard-webhooks';
import { isTimestampedSignature, readTimestampedSignature } from './timestamped-signature';

export interface SignedCall {
  /** The bytes as they were received. */
  body: Buffer;
  /** Keys are header names in lower case. */
  headers: Record<string, string>;
}

const HEX_SHA256 = /^[0-9a-f]{64}$/i;
const BASE64_SHA256 = /^[0-9a-z+/]{43}=$/i;
const UNIX_SECONDS_PATTERN = /^\d{1,12}$/;

/**
 * Requires an HMAC-SHA-256 made with the secret: of the body, as `sha256=<hex>` (GitHub) or as plain hexadecimal or base64
 * (shops); of `<t>.<body>`, as `t=<seconds>,v1=<hex>` with one or more `v1` (Stripe, during the rotation of a secret); of
 * `v0:<timestamp>:<body>`, as `v0=<hex>` (Slack, Zoom); or that of Standard Webhooks, whose id of the message is returned. `now` in
 * seconds. Throws WEBHOOK_SIGNATURE_INVALID naming the header.
 */
export function requireSignature(rule: SignatureSecret, call: SignedCall, now: number): string | undefined {
  const value = Object.entries(call.headers).find(([name]) => name === rule.header.toLowerCase())?.[1];
  if (value === undefined) throw invalidSignature(rule, 'is missing');
  const signature = readSignature(rule, value, call.headers);
  if (signature.key === undefined) {
    throw invalidSignature(rule, 'has no id of its message, or the origin no secret of the form whsec_<base64>');
  }
  if (!isRecent(signature, now)) throw invalidSignature(rule, 'has no timestamp, or one that is too far from now');
  if (!isMadeWith(signature.key, signature, call.body)) throw invalidSignature(rule, 'does not fit the body');
  return signature.messageID;
}

/** The value itself shows the form of its signature. */
function readSignature(rule: SignatureSecret, value: string, headers: Record<string, string>): ReceivedSignature {
  if (isStandardWebhooks(value)) return readStandardWebhooks(rule, value, headers);
  if (isTimestampedSignature(value)) return readTimestampedSignature(rule, value, headers);
  const { secret: key, toleranceSeconds } = rule;
  const fields = value.split(',').map((field) => field.trim());
  const timestamp = fields.find((field) => field.startsWith('t='))?.slice(2);
  if (timestamp === undefined) {
    return { key, prefix: '', toleranceSeconds, digests: fields.map((field) => field.replace(/^sha256=/i, '')) };
  }
  const digests = fields.filter((field) => field.startsWith('v1=')).map((field) => field.slice(3));
  return { key, prefix: `${timestamp}.`, timestamp, toleranceSeconds, digests };
}

function isRecent({ timestamp, toleranceSeconds }: ReceivedSignature, now: number): boolean {
  if (timestamp !== undefined && !UNIX_SECONDS_PATTERN.test(timestamp)) return false;
  if (toleranceSeconds === null) return true;
  // A timestamp in the future is limited too: until it is past, the call could be replayed.
  return timestamp !== undefined && Math.abs(now - Number(timestamp)) <= toleranceSeconds;
}

function isMadeWith(key: string | Buffer, { prefix, digests }: ReceivedSignature, body: Buffer): boolean {
  const expected = createHmac('sha256', key).update(prefix).update(body).digest();
  return digests.flatMap(bytesOf).some((digest) => timingSafeEqual(digest, expected));
}

/** An empty list for a text that is not a SHA-256 digest. */
function bytesOf(digest: string): Buffer[] {
  if (HEX_SHA256.test(digest)) return [Buffer.from(digest, 'hex')];
  return BASE64_SHA256.test(digest) ? [Buffer.from(digest, 'base64')] : [];
}

function invalidSignature({ header }: SignatureSecret, problem: string): ApiError {
  return new ApiError('WEBHOOK_SIGNATURE_INVALID', `${header}: the signature ${problem}.`);
}
