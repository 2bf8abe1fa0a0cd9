import { ApiError } from '@batuta/errors';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureSecret } from '../origins/sealed-columns';

export interface SignedCall {
  body: Buffer;
  /** Keys are header names in lower case. */
  headers: Record<string, string>;
}

/** The parsed signature header; `timestamp` is the text after `t=` in Stripe's form. */
interface ReceivedSignature {
  timestamp?: string | undefined;
  digests: string[];
}

const HEX_SHA256 = /^[0-9a-f]{64}$/i;
const BASE64_SHA256 = /^[0-9a-z+/]{43}=$/i;
const UNIX_SECONDS = /^\d{1,12}$/;

/**
 * Requires an HMAC-SHA-256 made with the secret: of the body, as `sha256=<hex>` (GitHub) or as plain hexadecimal or base64
 * (shops), or of `<t>.<body>`, as `t=<seconds>,v1=<hex>` with one or more `v1` (Stripe, during the rotation of a secret).
 * `now` in seconds. Throws WEBHOOK_SIGNATURE_INVALID naming the header.
 */
export function requireSignature(rule: SignatureSecret, { body, headers }: SignedCall, now: number): void {
  const value = Object.entries(headers).find(([name]) => name === rule.header.toLowerCase())?.[1];
  if (value === undefined) throw invalidSignature(rule, 'is missing');
  const signature = readSignature(value);
  if (!isRecent(signature, rule, now))
    throw invalidSignature(rule, 'has no timestamp, or one that is too far from now');
  if (!isMadeWith(rule.secret, signature, body)) throw invalidSignature(rule, 'does not fit the body');
}

function readSignature(header: string): ReceivedSignature {
  const fields = header.split(',').map((field) => field.trim());
  const timestamp = fields.find((field) => field.startsWith('t='))?.slice(2);
  if (timestamp === undefined) return { digests: fields.map((field) => field.replace(/^sha256=/i, '')) };
  return { timestamp, digests: fields.filter((field) => field.startsWith('v1=')).map((field) => field.slice(3)) };
}

function isRecent({ timestamp }: ReceivedSignature, { toleranceSeconds }: SignatureSecret, now: number): boolean {
  if (timestamp !== undefined && !UNIX_SECONDS.test(timestamp)) return false;
  if (toleranceSeconds === null) return true;
  // A timestamp in the future is limited too: until it is past, the call could be replayed.
  return timestamp !== undefined && Math.abs(now - Number(timestamp)) <= toleranceSeconds;
}

function isMadeWith(secret: string, { timestamp, digests }: ReceivedSignature, body: Buffer): boolean {
  const hmac = createHmac('sha256', secret);
  if (timestamp !== undefined) hmac.update(`${timestamp}.`);
  const expected = hmac.update(body).digest();
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
