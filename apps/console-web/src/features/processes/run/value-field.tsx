import { Code, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { VariableAnswer } from '../../../api/generated/console-api';
import { PasswordField } from '../../../common/password-field';
import { refusalText } from '../../../common/refusal-text';
import { CURRENCY_SYMBOL, formattedValue, shortValue } from '../shown-value';
import { FALSE_TEXT, TRUE_TEXT } from './run-values';

/** Characters of a default that are shown below its field; the rest is cut off. */
const MAX_SHOWN_DEFAULT_LENGTH = 200;

/** Styles of an input for JSON. */
export const MONOSPACE = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };

interface ValueFieldProps {
  variable: VariableAnswer;
  value: string;
  onChange: (value: string) => void;
  /** Why the API refuses the value, as it wrote it. */
  refusal?: string;
  /** The value as a dry run converted it; absent before one. */
  converted?: { value: unknown };
}

/** The input for the value of a Matrix variable, with its refusal, and with what a dry run made of it. */
export function ValueField(props: ValueFieldProps) {
  const { t } = useTranslation('processes');
  const { variable, converted } = props;
  const shownConverted = ({ value }: { value: unknown }) => {
    if (typeof value === 'boolean') return t(value ? 'run.yes' : 'run.no');
    // A Secreto is masked by the API already.
    if (variable.type === 'Secreto') return typeof value === 'string' ? value : '';
    return shortValue(variable.type, value);
  };
  const shown = converted && shownConverted(converted);
  return (
    <Stack gap={4}>
      <ValueInput {...props} />
      {converted && (
        <Text size="sm" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
          {t('run.becomes')} <Code>{shown === '' ? t('run.emptyValue') : shown}</Code>
        </Text>
      )}
    </Stack>
  );
}

function ValueInput({ variable, value, onChange, refusal }: ValueFieldProps) {
  const { t } = useTranslation(['processes', 'common']);
  const { name, type } = variable;
  const description = useDescription(variable);
  const input = {
    label: name,
    error: refusal && t('run.refused', { type, refusal: refusalText(refusal) }),
    value,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  };
  const text = { ...input, description, autoComplete: 'off' };
  switch (type) {
    case 'Secreto':
      return <PasswordField {...text} autoComplete="new-password" />;
    case 'Verdadeiro/Falso':
      return (
        <NativeSelect
          {...input}
          description={type}
          data={[
            { value: '', label: t('run.default', { value: t(variable.default === true ? 'run.yes' : 'run.no') }) },
            { value: TRUE_TEXT, label: t('run.yes') },
            { value: FALSE_TEXT, label: t('run.no') },
          ]}
        />
      );
    case 'Lista':
    case 'Objeto':
      return <Textarea {...text} autosize minRows={2} maxRows={14} styles={MONOSPACE} spellCheck={false} />;
    case 'Texto':
      return <Textarea {...text} autosize minRows={1} maxRows={8} />;
    default:
      return <TextInput {...text} inputMode="decimal" leftSection={type === 'Moeda' ? CURRENCY_SYMBOL : undefined} />;
  }
}

/** A text with the type of the variable, how a value is written, and the default. */
function useDescription({ type, default: value }: VariableAnswer): string {
  const { t } = useTranslation('processes');
  if (type === 'Secreto') return t('run.secretHow', { type });
  const shown = formattedValue(type, value);
  const how = t(`run.how.${type}`, { defaultValue: '' });
  const fallback = shown === '' ? '' : t('run.emptyIsDefault', { value: shown.slice(0, MAX_SHOWN_DEFAULT_LENGTH) });
  return [type, how, fallback].filter((part) => part !== '').join(' · ');
}
