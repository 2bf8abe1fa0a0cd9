import type { SignatureSecret } from '../origins/sealed-columns';
import { DEFAULT_TOLERANCE_SECONDS, type ReceivedSignature } from './received-signature';

const VERSION_PREFIX = 'v0=';

/** Whether the value of a signature header is `v0=<hex>`, the form of Slack and Zoom. */
export function isTimestampedSignature(value: string): boolean {
  return value.startsWith(VERSION_PREFIX);
}

/**
 * The signature of Slack and Zoom, of `v0:<timestamp>:<body>`. The timestamp has a header of its own, named like that of the signature:
 * `x-slack-request-timestamp` beside `x-slack-signature`.
 */
export function readTimestampedSignature(
  { header, secret, toleranceSeconds }: SignatureSecret,
  value: string,
  headers: Record<string, string>,
): ReceivedSignature {
  const family = header.toLowerCase().replace(/signature$/, '');
  const { [`${family}request-timestamp`]: timestamp } = headers;
  return {
    key: secret,
    prefix: `v0:${timestamp}:`,
    timestamp,
    toleranceSeconds: toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS,
    digests: value.split(/, ?/).map((one) => one.slice(VERSION_PREFIX.length)),
  };
}
