import { SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../code/code-field';
import { useEditor, useEditorState } from '../editor-context';
import { messageOfRefusedText, parseFlowText, flowTextOf } from '../model/flow-text';
import { useFieldTexts, type SchemaFieldProps } from './field-texts';

/** A field that may hold any JSON. The user chooses how to edit it: as one template text, or as JSON whose texts are templates. */
export function JsonEditor(props: SchemaFieldProps) {
  const { step, field, pointer, value, onChange } = props;
  const { t } = useTranslation('flow-editor');
  const { variablesAt, store } = useEditor();
  const texts = useFieldTexts(props);
  const { brokenFields } = useEditorState();
  const broken = brokenFields.find((each) => each.step === step && each.field === pointer)?.text;
  const [mode, setMode] = useState<'text' | 'json'>(
    broken === undefined &&
      field.kind === 'json' &&
      field.reason === 'any-value' &&
      (typeof value === 'string' || value === undefined)
      ? 'text'
      : 'json',
  );
  // The broken text may belong to an item of a list that was moved here, after `mode` was chosen for another item.
  const shownMode = broken === undefined ? mode : 'json';
  const typeJson = (text: string) => {
    const read = text.trim() === '' ? { json: undefined } : parseFlowText(text);
    store.typeField(step, pointer, read ? undefined : text);
    if (read) onChange(read.json);
  };
  const chooseMode = (next: string) => {
    setMode(next === 'json' ? 'json' : 'text');
    if (broken === undefined) return;
    // As a text, the typed characters are the value, even if they are no JSON.
    store.typeField(step, pointer, undefined);
    onChange(broken);
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
        value={shownMode}
        onChange={chooseMode}
        data={[
          { value: 'text', label: `${texts.label}: ${t('form.text')}` },
          { value: 'json', label: 'JSON' },
        ]}
      />
      {shownMode === 'text' ? (
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
          error={broken === undefined ? texts.error : messageOfRefusedText(broken, t, t('form.notJson'))}
          syntax="json"
          value={broken ?? (value === undefined ? '' : flowTextOf(value))}
          onChange={typeJson}
        />
      )}
    </Stack>
  );
}
