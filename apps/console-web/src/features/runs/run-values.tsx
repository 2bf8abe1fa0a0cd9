import { Stack, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RunDetailsAnswer, StartedValueAnswer } from '../../api/generated/console-api';
import { withCurrencySymbol } from '../processes/shown-value';
import { valueText } from './value-text';

/** The values with which the run started; of a Secreto only whether it had a value. */
export function RunValues({ details }: { details: RunDetailsAnswer }) {
  const { values, valuesUnreadable } = details;
  const { t } = useTranslation('runs');
  if (values === null) return <Text c="dimmed">{t(valuesUnreadable ? 'values.unreadable' : 'values.notKept')}</Text>;
  if (values.length === 0) return <Text c="dimmed">{t('values.none')}</Text>;
  const textOf = ({ type, value, secret }: StartedValueAnswer) => {
    if (secret) return '•••';
    if (typeof value === 'boolean') return t(`values.${value ? 'yes' : 'no'}`);
    return withCurrencySymbol(type, valueText(type, value)) || '–';
  };
  return (
    <Table aria-label={t('values.title')} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('values.name')}</Table.Th>
          <Table.Th scope="col">{t('values.value')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {values.map((value) => (
          <Table.Tr key={value.name}>
            <Table.Th scope="row" fw="normal" style={{ verticalAlign: 'top' }}>
              <Stack gap={0}>
                <span>{value.name}</span>
                <Text size="xs" c="dimmed">
                  {value.removed ? t('values.removed') : value.type}
                </Text>
              </Stack>
            </Table.Th>
            <Table.Td style={{ whiteSpace: 'pre-wrap' }}>{textOf(value)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
