import { Code, NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { MONOSPACE } from '../run/value-field';
import { shortValue } from '../shown-value';
import { readDefault, type DraftVariable } from './matrix-draft';

interface DefaultFieldProps {
  variable: DraftVariable;
  disabled: boolean;
  onChange: (text: string) => void;
}

/** The input for the default of a variable, and below it the value into which the typed text is converted. A Secreto has no default. */
export function DefaultField({ variable, disabled, onChange }: DefaultFieldProps) {
  const { t } = useTranslation('processes');
  const { type, text } = variable;
  const read = readDefault(type, text);
  const input = {
    label: t('matrix.default'),
    disabled,
    value: text,
    error: read ? undefined : t(`matrix.misfit.${type}`, { defaultValue: t('matrix.misfit.other') }),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  };
  if (type === 'Secreto') {
    return (
      <Text size="sm" c="dimmed">
        {t('matrix.noSecretDefault')}
      </Text>
    );
  }
  if (type === 'Verdadeiro/Falso') {
    return (
      <NativeSelect
        {...input}
        value={read?.value === true ? 'true' : read ? 'false' : text}
        data={[
          { value: 'false', label: t('run.no') },
          { value: 'true', label: t('run.yes') },
          ...(read ? [] : [{ value: text, label: text }]),
        ]}
      />
    );
  }
  if (type === 'Texto') return <Textarea {...input} autosize minRows={1} maxRows={8} />;
  const isJson = type === 'Lista' || type === 'Objeto';
  return (
    <div>
      {isJson ? (
        <Textarea {...input} autosize minRows={1} maxRows={12} styles={MONOSPACE} spellCheck={false} />
      ) : (
        <TextInput {...input} inputMode="decimal" />
      )}
      {read && (
        <Text size="sm" c="dimmed" mt={4} component="div" style={{ overflowWrap: 'anywhere' }} aria-live="polite">
          {read.value === null ? (
            t('matrix.noDefault')
          ) : (
            <>
              = <Code>{shortValue(type, read.value)}</Code>
            </>
          )}
        </Text>
      )}
    </div>
  );
}
