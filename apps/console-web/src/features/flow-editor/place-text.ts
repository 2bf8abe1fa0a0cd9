import type { TFunction } from 'i18next';
import { segmentsOf } from '../../flow/pointer';
import type { PlacedProblem } from './model/problems';

/** The place of a problem in words, such as `Call › Headers › Authorization`. `t` has the texts of the flow editor. */
export function placeText(t: TFunction<'flow-editor'>, { step, field }: Pick<PlacedProblem, 'step' | 'field'>): string {
  const names = segmentsOf(field).map((segment) =>
    /^\d+$/.test(segment) ? String(Number(segment) + 1) : t(`fields.${segment}`, { defaultValue: segment }),
  );
  return [step, ...names].filter(Boolean).join(' › ') || t('problems.flow');
}
