import { SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../code/code-field';
import { useEditor } from '../editor-context';
import { parseFlowText, flowTextOf } from '../model/flow-text';
import { useFieldTexts, type SchemaFieldProps } from './schema-field';

/** A field that may hold any JSON: as a template text, or as JSON whose texts are templates. */
export function JsonEditor(props: SchemaFieldProps) {
  const { step, field, pointer, value, onChange } = props;
  const { t } = useTranslation('flow-editor');
  const { variablesAt } = useEditor();
  const texts = useFieldTexts(props);
  const [mode, setMode] = useState<'text' | 'json'>(
    field.kind === 'json' && field.reason === 'any-value' && (typeof value === 'string' || value === undefined)
      ? 'text'
      : 'json',
  );
  const [broken, setBroken] = useState<string>();
  const typeJson = (text: string) => {
    if (text.trim() === '') {
      setBroken(undefined);
      return onChange(undefined);
    }
    const read = parseFlowText(text);
    setBroken(read ? undefined : text);
    if (read) onChange(read.json);
  };
  const shared = {
    ...texts,
    hideLabel: true,
    required: field.required,
    field: pointer,
    variables: () => variablesAt(step, pointer),
  };
  return (
    <Stack gap={4}>
      <SegmentedControl
        size="xs"
        aria-label={t('form.textOrJson', { field: texts.label })}
        value={mode}
        onChange={(next) => setMode(next === 'json' ? 'json' : 'text')}
        data={[
          { value: 'text', label: `${texts.label}: ${t('form.text')}` },
          { value: 'json', label: 'JSON' },
        ]}
      />
      {mode === 'text' ? (
        <CodeField
          key={`${step} ${pointer} text`}
          {...shared}
          syntax="text"
          value={typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)}
          onChange={(next) => onChange(next === '' && !field.required ? undefined : next)}
        />
      ) : (
        <CodeField
          key={`${step} ${pointer} json`}
          {...shared}
          error={broken === undefined ? texts.error : t('form.notJson')}
          syntax="json"
          value={broken ?? (value === undefined ? '' : flowTextOf(value))}
          onChange={typeJson}
        />
      )}
    </Stack>
  );
}
