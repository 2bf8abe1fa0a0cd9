import { stringifyWithRaw } from '@batuta/json';
import { sealingContexts, type KeyRing } from '@batuta/secrets';
import type { InputValue } from './sealed-input';

/**
 * Maximum length of the values as JSON; longer values are deleted when their instance ends, because no form shows them.
 */
export const MAX_KEPT_CHARACTERS = 16_000;

/** A value of an instance in the sealed copy without secrets; `secret`: the variable is a Secreto and had a value. */
export type KeptValue = InputValue & { secret?: true };

const isFilledSecret = ({ type, value }: InputValue) => type === 'Secreto' && value !== null && value !== '';

/** Whether one of the values is a Secreto that is neither null nor empty. */
export function hasFilledSecret(values: InputValue[]): boolean {
  return values.some(isFilledSecret);
}

/** The values with null in place of each Secreto. */
export function withNullSecrets(values: InputValue[]): KeptValue[] {
  return values.map(({ name, type, value }) =>
    type === 'Secreto'
      ? { name, type, value: null, ...(isFilledSecret({ name, type, value }) && { secret: true as const }) }
      : { name, type, value },
  );
}

/** Seals the values that stay when the input of the instance is deleted. */
export function sealValues(keys: KeyRing, instanceID: string, values: KeptValue[]): Buffer {
  return keys.seal(stringifyWithRaw(values).json, sealingContexts.instanceValues(instanceID));
}

/** Throws when the values cannot be unsealed, for example because this service does not have their key. */
export function unsealValues(keys: KeyRing, instanceID: string, sealed: Buffer): KeptValue[] {
  const values: KeptValue[] = JSON.parse(keys.unseal(sealed, sealingContexts.instanceValues(instanceID)));
  return values;
}
