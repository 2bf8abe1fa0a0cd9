import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { PreviewedValue, VariableAnswer } from '../../api/generated/console-api';
import { DataTable, type Column } from '../../common/data-table';
import { messageText } from '../../common/message-text';
import { matrixQuery } from '../processes/matrix/queries';
import { compareMappings, type PreviewRow } from './mapping-draft';
import { previewTextOf } from './payload';
import { mappingPreviewQuery } from './queries';

/** Shows the values that a capture gives each variable, by the draft and by the published mapping. */
export function MappingPreview({ cid, processID }: { cid: string; processID: string }) {
  const { t } = useTranslation('webhooks');
  const query = useQuery(mappingPreviewQuery(cid));
  return (
    <Stack component="section" gap="xs" aria-label={t('preview.title')}>
      <Title order={3} size="h4">
        {t('preview.title')}
      </Title>
      <DataTable
        label={t('preview.title')}
        query={query}
        rows={query.data ? compareMappings(query.data.draft, query.data.published) : []}
        rowKey={({ variableId }) => variableId}
        columns={useColumns(processID)}
        empty={<Text c="dimmed">{t('preview.empty')}</Text>}
      />
    </Stack>
  );
}

function useColumns(processID: string): Column<PreviewRow>[] {
  const { t } = useTranslation('webhooks');
  const { data: matrix } = useQuery(matrixQuery(processID));
  const typeOf = (variableId: string) => matrix?.find(({ id }) => id === variableId)?.type;
  return [
    {
      key: 'name',
      title: t('preview.variable'),
      render: ({ name }) => <Text fw={500}>{name ?? t('mapping.removedVariable')}</Text>,
    },
    {
      key: 'draft',
      title: t('preview.draft'),
      render: ({ draft, variableId }) => <PreviewedValueText of={draft} type={typeOf(variableId)} />,
    },
    {
      key: 'published',
      title: t('preview.published'),
      render: ({ published, variableId }) => <PreviewedValueText of={published} type={typeOf(variableId)} />,
    },
  ];
}

interface PreviewedValueTextProps {
  of: PreviewedValue | undefined;
  /** The type of the variable; undefined for a removed one. */
  type: VariableAnswer['type'] | undefined;
}

function PreviewedValueText({ of, type }: PreviewedValueTextProps) {
  const { t } = useTranslation('webhooks');
  if (!of) return <Text c="dimmed">{t('preview.unmapped')}</Text>;
  if (of.refusal !== undefined) {
    return (
      <Text fw={600} style={WRAP_ANYWHERE}>
        {t('preview.refused', { reason: messageText(of.refusal) })}
      </Text>
    );
  }
  if (of.absent) return <Text c="dimmed">{t('preview.absent')}</Text>;
  if (of.omitted) return <Text c="dimmed">{t('preview.omitted')}</Text>;
  return (
    <Text ff="monospace" size="sm" style={WRAP_ANYWHERE}>
      {previewTextOf(type, of.value)}
    </Text>
  );
}

const WRAP_ANYWHERE = { overflowWrap: 'anywhere' } as const;
