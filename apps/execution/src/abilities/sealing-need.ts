import { ABILITY_SEALED_VALUES } from '@batuta/agent-protocol';
import { RawJson } from '@batuta/json';

const SECRET_TYPE = 'Secreto';

/** True for a Secreto that is not null, also for an empty one: only the agent that runs the instance may read it. */
export function needsSealing({ type, value }: { type: string; value: unknown }): boolean {
  return type === SECRET_TYPE && value !== null;
}

/**
 * True when any of the values is a Secreto that is not null; an empty Secreto counts, too. `kept-values.ts` has another rule for the values that stay
 * after the end of an instance. A RawJson is not parsed, because it may be large: it counts as secret if its text contains the name of the type.
 */
export function mayNeedSealing(values: RawJson | readonly { type: string; value: unknown }[]): boolean {
  return values instanceof RawJson ? values.text.includes(`"${SECRET_TYPE}"`) : values.some(needsSealing);
}

/** Adds the ability to open sealed values to `needs`, for an instance with secret values that only an agent with a key may get. */
export function withSealingAbility(needs: string): string {
  return needs === '' ? ABILITY_SEALED_VALUES : `${needs},${ABILITY_SEALED_VALUES}`;
}
