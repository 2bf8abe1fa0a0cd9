import { NativeSelect, NumberInput, Switch, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../code/code-field';
import { stepNamed } from '../../../flow/draft';
import { useEditor } from '../editor-context';
import type { FormField } from '../model/form-model';
import { problemsAt } from '../model/problems';
import { useFormats } from '../../../i18n/formats';
import { syntaxOf } from './field-syntax';
import { JsonEditor } from './json-field';
import { EntriesEditor, ListEditor, ObjectEditor, TextsEditor, VariantsEditor } from './structure-fields';

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

/** A field of a step, made from its schema. */
export function SchemaField(props: SchemaFieldProps) {
  const { field } = props;
  switch (field.kind) {
    case 'object':
      return <ObjectEditor {...props} field={field} />;
    case 'list':
      return <ListEditor {...props} field={field} />;
    case 'entries':
      return <EntriesEditor {...props} field={field} />;
    case 'variants':
      return <VariantsEditor {...props} field={field} />;
    case 'texts':
      return <TextsEditor {...props} field={field} />;
    case 'json':
      return <JsonEditor {...props} field={field} />;
    case 'constant':
      return null;
    default:
      return <SimpleField {...props} />;
  }
}

/** Label, help and problem of a field. */
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

/** The numbers that a field accepts. */
function rangeText(field: FormField, textOf: (least: number, most: number) => string): string | undefined {
  if (field.kind !== 'number' || field.minimum === undefined || field.maximum === undefined) return undefined;
  return textOf(field.minimum, field.maximum);
}

function SimpleField(props: SchemaFieldProps) {
  const { field, value, pointer, onChange } = props;
  const { t } = useTranslation('flow-editor');
  const texts = {
    ...useFieldTexts(props),
    required: field.required,
    'data-field': pointer,
  };
  switch (field.kind) {
    case 'number':
      return (
        <NumberInput
          {...texts}
          value={typeof value === 'number' ? value : ''}
          onChange={(next) => onChange(next === '' ? undefined : Number(next))}
          min={field.minimum}
          max={field.maximum}
          allowDecimal={!field.isInteger}
          clampBehavior="none"
          stepHoldDelay={400}
          stepHoldInterval={80}
        />
      );
    case 'boolean':
      return (
        <Switch
          {...texts}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked || undefined)}
        />
      );
    case 'choice':
      return (
        <NativeSelect
          {...texts}
          value={value === undefined ? '' : JSON.stringify(value)}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value === '' ? undefined : JSON.parse(currentTarget.value))
          }
          data={[
            ...(field.required ? [] : [{ value: '', label: t('form.notSet') }]),
            ...field.options
              .filter((option) => option !== null)
              .map((option) => ({
                value: JSON.stringify(option),
                label: t(`choices.${option}`, { defaultValue: String(option) }),
              })),
          ]}
        />
      );
    default:
      return <TextField {...props} />;
  }
}

function TextField(props: SchemaFieldProps) {
  const { step, field, pointer, value, parent, onChange } = props;
  const { variablesAt } = useEditor();
  const texts = { ...useFieldTexts(props), required: field.required };
  const shown = typeof value === 'string' ? value : '';
  const tell = (next: string) => onChange(next === '' && !field.required ? undefined : next);
  const syntax = syntaxOf(field.key, parent);
  const isLong = field.kind === 'text' && field.isLong;
  const maxLength = field.kind === 'text' ? field.maxLength : undefined;
  if (syntax === 'plain') {
    const input = { ...texts, value: shown, maxLength, 'data-field': pointer };
    return isLong ? (
      <Textarea {...input} autosize minRows={2} onChange={({ currentTarget }) => tell(currentTarget.value)} />
    ) : (
      <TextInput {...input} onChange={({ currentTarget }) => tell(currentTarget.value)} />
    );
  }
  return (
    <CodeField
      key={`${step} ${pointer} ${syntax}`}
      {...texts}
      hideLabel={props.hideLabel}
      field={pointer}
      value={shown}
      onChange={tell}
      syntax={syntax}
      singleLine={!isLong && syntax === 'text'}
      maxLength={maxLength}
      variables={() => variablesAt(step, pointer)}
    />
  );
}
