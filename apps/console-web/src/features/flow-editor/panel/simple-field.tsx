import { NativeSelect, NumberInput, Switch, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../code/code-field';
import { useEditor } from '../editor-context';
import { syntaxOf } from './field-syntax';
import { useFieldTexts, type SchemaFieldProps } from './field-texts';

/** The input of a field that holds one text, one number, one of several choices, or true. */
export function SimpleField(props: SchemaFieldProps) {
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
  const changeTo = (next: string) => onChange(next === '' && !field.required ? undefined : next);
  const syntax = syntaxOf(field.key, parent);
  const isLong = field.kind === 'text' && field.isLong;
  const maxLength = field.kind === 'text' ? field.maxLength : undefined;
  if (syntax === 'plain') {
    const input = { ...texts, value: shown, maxLength, 'data-field': pointer };
    return isLong ? (
      <Textarea {...input} autosize minRows={2} onChange={({ currentTarget }) => changeTo(currentTarget.value)} />
    ) : (
      <TextInput {...input} onChange={({ currentTarget }) => changeTo(currentTarget.value)} />
    );
  }
  return (
    <CodeField
      key={`${step} ${pointer} ${syntax}`}
      {...texts}
      hideLabel={props.hideLabel}
      field={pointer}
      value={shown}
      onChange={changeTo}
      syntax={syntax}
      singleLine={!isLong && syntax === 'text'}
      maxLength={maxLength}
      variables={() => variablesAt(step, pointer)}
    />
  );
}
