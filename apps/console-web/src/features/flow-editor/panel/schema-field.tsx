import { ActionIcon, Button, Fieldset, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isRecord } from '../../../flow/draft';
import { pointerOf, withValueAt } from '../../../flow/pointer';
import { useEditor } from '../editor-context';
import type { FormField } from '../model/form-model';
import { initialValueOf, toVariant } from '../model/new-step';
import { useFieldTexts, type SchemaFieldProps } from './field-texts';
import { ItemButtons } from './item-buttons';
import { JsonEditor } from './json-field';
import { SimpleField } from './simple-field';

type FieldProps<Kind extends FormField['kind']> = SchemaFieldProps & {
  field: Extract<FormField, { kind: Kind }>;
};

/** The input of a step's field, or of a part of one, as the kind in its `FormField` asks for it. A constant has none. */
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

/** The fields of an object, below each other. */
function ObjectEditor({ step, field, pointer, value, onChange, label }: FieldProps<'object'>) {
  const fields = (
    <Stack gap="sm">
      <FieldsOf step={step} fields={field.fields} pointer={pointer} value={value} onChange={onChange} />
    </Stack>
  );
  const texts = useFieldTexts({ step, field, pointer, label });
  return field.key === '' ? fields : <Fieldset legend={texts.label}>{fields}</Fieldset>;
}

function FieldsOf(props: {
  step: string;
  fields: readonly FormField[];
  pointer: string;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const { step, fields, pointer, value, onChange } = props;
  return fields.map((each) => (
    <SchemaField
      key={each.key}
      step={step}
      field={each}
      pointer={`${pointer}${pointerOf([each.key])}`}
      value={isRecord(value) ? value[each.key] : undefined}
      parent={value}
      onChange={(next) => onChange(withValueAt(value, pointerOf([each.key]), next))}
    />
  ));
}

/** A list: items can be added, removed and, because their order has a meaning, moved. */
function ListEditor(props: FieldProps<'list'>) {
  const { step, field, pointer, value, onChange } = props;
  const { t } = useTranslation('flow-editor');
  const { store } = useEditor();
  const { label, error } = useFieldTexts(props);
  const items: unknown[] = Array.isArray(value) ? value : [];
  const valueOf = (next: unknown[]) => (next.length === 0 && !field.required ? undefined : next);
  const change = (next: unknown[]) => onChange(valueOf(next));
  const reorder = (order: number[]) => {
    store.reorder({ step, list: pointer, order }, valueOf(order.map((index) => items[index])));
  };
  const add = () => {
    change([...items, initialValueOf(field.item)]);
    // The fields of the new item are above the button, which keeps the focus otherwise.
    store.show(step, `${pointer}/${items.length}`);
  };
  const isFull = field.maxItems !== undefined && items.length >= field.maxItems;
  return (
    <Fieldset legend={label} data-field={pointer}>
      <Stack gap="sm">
        {error !== undefined && (
          <Text size="xs" c="red.8" role="alert">
            {error}
          </Text>
        )}
        {items.map((item, index) => (
          <div key={index} className="form-item">
            <Group justify="space-between" gap={4} wrap="nowrap">
              <Text size="xs" fw={600}>
                {index + 1}
              </Text>
              <ItemButtons count={items.length} index={index} label={label} reorder={reorder} />
            </Group>
            <div data-field={`${pointer}/${index}`}>
              <SchemaField
                step={step}
                field={field.item}
                pointer={`${pointer}/${index}`}
                value={item}
                parent={items}
                label={t('form.item', { list: label, number: index + 1 })}
                onChange={(next) => change(items.with(index, next ?? ''))}
              />
            </div>
          </div>
        ))}
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={isFull}
          onClick={add}
        >
          {t('form.add', {
            what: t(`one.${field.key}`, { defaultValue: label }),
          })}
        </Button>
      </Stack>
    </Fieldset>
  );
}

/** An object whose keys the author of the flow chooses, such as the headers of a request. */
function EntriesEditor(props: FieldProps<'entries'>) {
  const { step, field, pointer, value, onChange } = props;
  const { t } = useTranslation('flow-editor');
  const { label } = useFieldTexts(props);
  const [newKey, setNewKey] = useState('');
  const entries: [string, unknown][] = isRecord(value) ? Object.entries(value) : [];
  const change = (next: [string, unknown][]) => onChange(next.length === 0 ? undefined : Object.fromEntries(next));
  const canAdd = newKey.trim() !== '' && !entries.some(([key]) => key === newKey);
  const add = () => {
    if (!canAdd) return;
    change([...entries, [newKey, initialValueOf(field.value)]]);
    setNewKey('');
  };
  return (
    <Fieldset legend={label} data-field={pointer}>
      <Stack gap="sm">
        {entries.map(([key, entry], index) => (
          <div key={key} className="form-item">
            <Group justify="space-between" gap={4} wrap="nowrap">
              <Text size="xs" fw={600} truncate title={key}>
                {key}
              </Text>
              <ActionIcon
                variant="subtle"
                color="red"
                size="sm"
                aria-label={t('form.removeKey', { list: label, key })}
                onClick={() => change(entries.toSpliced(index, 1))}
              >
                <IconTrash size={14} aria-hidden />
              </ActionIcon>
            </Group>
            <SchemaField
              step={step}
              field={field.value}
              pointer={`${pointer}${pointerOf([key])}`}
              value={entry}
              parent={value}
              label={key}
              hideLabel
              onChange={(next) => change(entries.with(index, [key, next ?? '']))}
            />
          </div>
        ))}
        <Group gap="xs" wrap="nowrap" align="flex-end">
          <TextInput
            size="xs"
            flex={1}
            label={t('form.newKey')}
            value={newKey}
            onChange={({ currentTarget }) => setNewKey(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') add();
            }}
          />
          <Button
            size="xs"
            variant="default"
            disabled={!canAdd}
            onClick={add}
            leftSection={<IconPlus size={14} aria-hidden />}
          >
            {t('form.add', {
              what: t(`one.${field.key}`, { defaultValue: '' }),
            })}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}

/** The fields of an object with variants, in which the value of one field decides which other fields exist. */
function VariantsEditor({ step, field, pointer, value, onChange, label }: FieldProps<'variants'>) {
  const { t } = useTranslation('flow-editor');
  const current = isRecord(value) ? value[field.discriminator] : undefined;
  const variant = field.variants.find((each) => each.value === current) ?? field.variants[0];
  if (!variant || variant.form.kind !== 'object') return null;
  // Only the actions of a browser step have translated labels; other variants are shown as the flow names them.
  const labelOf = (key: string) =>
    field.discriminator === 'action' ? t(`actions.${key}`, { defaultValue: key }) : key;
  return (
    <Stack gap="sm">
      <NativeSelect
        aria-label={`${label ?? ''} ${t(`fields.${field.discriminator}`, { defaultValue: field.discriminator })}`}
        value={variant.value}
        data-field={`${pointer}/${field.discriminator}`}
        onChange={({ currentTarget }) => {
          const next = field.variants.find((each) => each.value === currentTarget.value);
          if (next) onChange(toVariant(value, next.form));
        }}
        data={field.variants.map((each) => ({
          value: each.value,
          label: labelOf(each.value),
        }))}
      />
      <FieldsOf step={step} fields={variant.form.fields} pointer={pointer} value={value} onChange={onChange} />
    </Stack>
  );
}

/** A field with one text or a list of texts: several lines become a list. */
function TextsEditor(props: FieldProps<'texts'>) {
  const { value, onChange, field } = props;
  const lines = Array.isArray(value) ? value.filter((item) => typeof item === 'string').join('\n') : value;
  const asText: FormField = {
    ...field,
    kind: 'text',
    maxLength: undefined,
    isLong: true,
  };
  return (
    <SchemaField
      {...props}
      field={asText}
      value={lines}
      onChange={(next) => {
        const texts = typeof next === 'string' ? next.split('\n') : [];
        onChange(texts.length > 1 ? texts : texts[0]);
      }}
    />
  );
}
