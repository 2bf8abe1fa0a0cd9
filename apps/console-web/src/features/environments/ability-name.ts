import type { TFunction } from 'i18next';

/** The name of an ability in the flow editor, as far as it is a step type that this console knows. */
export function abilityName(ability: string, t: TFunction<'environments'>): string {
  return t(`flow-editor:types.${ability}.name`, { defaultValue: '' });
}
