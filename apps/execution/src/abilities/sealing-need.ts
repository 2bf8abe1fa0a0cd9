import { ABILITY_SEALED_VALUES } from '@batuta/agent-protocol';
import { RawJson } from '@batuta/json';

const SECRET_TYPE = 'Secreto';

/** True for a value of type Secreto, which only the agent that runs the instance may read. */
export function needsSealing({ type, value }: { type: string; value: unknown }): boolean {
  return type === SECRET_TYPE && value !== null;
}

/**
 * True when any of the values is secret. Large values are not parsed; they count as secret if one of them may be a
 * Secreto.
 */
export function mayNeedSealing(values: RawJson | readonly { type: string; value: unknown }[]): boolean {
  return values instanceof RawJson ? values.text.includes(`"${SECRET_TYPE}"`) : values.some(needsSealing);
}

/**
 * Adds the ability to open sealed values to `needs` if the instance has secret values and the settings forbid sending
 * them to an agent without a key.
 */
export function withSealingAbility(needs: string): string {
  return needs === '' ? ABILITY_SEALED_VALUES : `${needs},${ABILITY_SEALED_VALUES}`;
}
