import type { TFunction } from 'i18next';

/**
 * The name of an ability: that of its step type in the flow editor, or one of `otherAbilities`; empty for an ability of
 * a later release.
 */
export function abilityName(ability: string, t: TFunction<'environments'>): string {
  return t(`flow-editor:types.${ability}.name`, {
    defaultValue: t(`agents.otherAbilities.${ability}`, { defaultValue: '' }),
  });
}
