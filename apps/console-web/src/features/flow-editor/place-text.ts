import type { TFunction } from 'i18next';
import { segmentsOf } from '../../flow/pointer';
import { problemText } from './model/flow-rules';
import { placeOf, type Place } from './model/problems';

/**
 * A place in words, such as `Call › Headers › Authorization`, with the labels of the step's form, and with indexes counted from 1. `t` has the
 * texts of the flow editor.
 */
export function placeText(t: TFunction<'flow-editor'>, { step, type, field }: Place): string {
  const nameOf = (segment: string) =>
    t(`ofType.${type}.fields.${segment}`, { defaultValue: '' }) || t(`fields.${segment}`, { defaultValue: segment });
  const names = segmentsOf(field).map((segment) =>
    /^\d+$/.test(segment) ? String(Number(segment) + 1) : nameOf(segment),
  );
  return [step, ...names].filter(Boolean).join(' › ') || t('problems.flow');
}

/** A warning of a publication in the user's language. A path into the published flow, with which it may begin, is put into words. */
export function warningText(t: TFunction<'flow-editor'>, flow: unknown, sentence: string): string {
  const { path, message = sentence } = /^((?<path>\/.*?|flow): )?(?<message>.*)\.$/s.exec(sentence)?.groups ?? {};
  const text = `${problemText(message)}.`;
  if (path === undefined) return text;
  return `${placeText(t, placeOf(flow, path === 'flow' ? '' : path))}: ${text}`;
}
