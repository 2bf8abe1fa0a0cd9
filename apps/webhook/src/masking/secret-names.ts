import { isSecretName } from '@batuta/masking';
import { readQuery } from '../payload/query';
import { MASK } from './masking';
import type { StoredPayload } from './stored-payload';

/**
 * The payload with the mask as value of every header and query parameter that usually carries a secret, and of the header of the origin's
 * signature, whatever its name is. The names stay, so that they can be mapped: a start reads the values of its own call (interpretation 28).
 */
export function maskSecretNames(stored: StoredPayload, signatureHeader?: string): StoredPayload {
  const maskBySecretName = ([name, value]: [string, string]): [string, string] => [
    name,
    isSecretName(name) ? MASK : value,
  ];
  const signature = signatureHeader?.toLowerCase();
  const maskHeader = ([name, value]: [string, string]): [string, string] =>
    name === signature ? [name, MASK] : maskBySecretName([name, value]);
  const parameters = readQuery(stored.query);
  const hasSecrets = parameters.some(([name]) => isSecretName(name));
  return {
    ...stored,
    query: hasSecrets ? String(new URLSearchParams(parameters.map(maskBySecretName))) : stored.query,
    headers: Object.fromEntries(Object.entries(stored.headers).map(maskHeader)),
  };
}
