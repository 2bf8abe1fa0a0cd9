import { ABILITY_SEALED_VALUES } from '@batuta/agent-protocol';
import { RawJson } from '@batuta/json';

const SECRET_TYPE = 'Secreto';

/** Whether a value must be readable only for the agent on its way to it, because its type is Secreto. */
export function isSecret({ type, value }: { type: string; value: unknown }): boolean {
  return type === SECRET_TYPE && value !== null;
}

/**
 * Whether any of the values is secret. Large values are not parsed: they count as secret if one of them may be a
 * Secreto.
 */
export function hasSecret(values: RawJson | readonly { type: string; value: unknown }[]): boolean {
  return values instanceof RawJson ? values.text.includes(`"${SECRET_TYPE}"`) : values.some(isSecret);
}

/**
 * Adds the ability to open sealed values to `needs` if the instance has secret values and the settings forbid sending
 * them to an agent without a key.
 */
export function withSealing(needs: string): string {
  return needs === '' ? ABILITY_SEALED_VALUES : `${needs},${ABILITY_SEALED_VALUES}`;
}
