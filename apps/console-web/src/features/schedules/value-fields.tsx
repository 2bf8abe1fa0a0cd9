import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { VariableAnswer } from '../../api/generated/console-api';
import { textOfVariable, type TypedValues } from '../processes/run/run-values';
import { ValueField } from '../processes/run/value-field';
import { convertedValueOf, isMisfit } from './schedule-values';

interface ValueFieldsProps {
  /** Undefined until the variables have been read. */
  variables: readonly VariableAnswer[] | undefined;
  /** The texts of the fields, by variable. */
  typed: TypedValues;
  /** The refusals of the API, by variable. */
  refused: Readonly<Record<string, string>>;
  onChange: (name: string, value: string) => void;
}

/**
 * The fields for the values of every run, one for each variable of the process, with the converted value of each text.
 */
export function ValueFields({ variables, typed, refused, onChange }: ValueFieldsProps) {
  const { t } = useTranslation('schedules');
  if (!variables) return <Skeleton height={80} />;
  return (
    <Stack component="section" gap="sm" aria-label={t('form.values')}>
      <Title order={3} size="h5">
        {t('form.values')}
      </Title>
      {variables.length === 0 && <Text size="sm">{t('form.noVariables')}</Text>}
      {variables.map((variable) => {
        const { id, name, type } = variable;
        const text = textOfVariable(typed, name) ?? '';
        if (type === 'Secreto') {
          return (
            <Text key={id} size="sm">
              <b>{name}</b> · {t('form.noSecret')}
            </Text>
          );
        }
        return (
          <ValueField
            key={id}
            variable={variable}
            value={text}
            onChange={(value) => onChange(name, value)}
            refusal={textOfVariable(refused, name) ?? (isMisfit(variable, text) ? t('form.misfit') : undefined)}
            converted={convertedValueOf(variable, text)}
          />
        );
      })}
    </Stack>
  );
}
