import { useTranslation } from 'react-i18next';
import { stepNamed } from '../../../flow/draft';
import { useFormats } from '../../../i18n/formats';
import { useEditor } from '../editor-context';
import type { FormField } from '../model/form-model';
import { problemsAt } from '../model/problems';

export interface SchemaFieldProps {
  /** Name of the step that has the field. */
  step: string;
  field: FormField;
  /** JSON Pointer of the field within the step. */
  pointer: string;
  value: unknown;
  /** The object or list that has the field. */
  parent: unknown;
  /** `undefined` removes the field. */
  onChange: (value: unknown) => void;
  /** A label that replaces the field's own name, such as the number of an item. */
  label?: string;
  /** The label is for screen readers only, because the heading of the item says the same. */
  hideLabel?: boolean;
}

/** Label, help and problems of a field in the user's language. A field that is edited as JSON also has the problems below it. */
export function useFieldTexts({
  step,
  field,
  pointer,
  label,
}: Pick<SchemaFieldProps, 'step' | 'field' | 'pointer' | 'label'>) {
  const { t } = useTranslation('flow-editor');
  const { problems, store } = useEditor();
  const type = stepNamed(store.flow, step)?.type ?? '';
  const formats = useFormats();
  const rangeOf = (least: number, most: number) =>
    t('form.range', { least: formats.number(least), most: formats.number(most) });
  // Fields of two step types may have the same key and different meanings.
  const ofType = (kind: 'fields' | 'help') => t(`ofType.${type}.${kind}.${field.key}`, { defaultValue: '' });
  const own = problemsAt(problems, step, pointer).filter(
    (problem) => problem.field === pointer || field.kind === 'json',
  );
  return {
    label: label ?? (ofType('fields') || t(`fields.${field.key}`, { defaultValue: field.key })),
    description: ofType('help') || t(`help.${field.key}`, { defaultValue: '' }) || rangeText(field, rangeOf),
    error: own.length > 0 ? own.map(({ message }) => message).join('; ') : undefined,
  };
}

/** The range of numbers that a field accepts, as text; undefined unless it has both limits. */
function rangeText(field: FormField, textOf: (least: number, most: number) => string): string | undefined {
  if (field.kind !== 'number' || field.minimum === undefined || field.maximum === undefined) return undefined;
  return textOf(field.minimum, field.maximum);
}
