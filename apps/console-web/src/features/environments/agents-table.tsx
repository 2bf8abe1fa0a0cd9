import { Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { AgentAnswer } from '../../api/generated/console-api';
import { DataTable, type Column } from '../../common/data-table';
import { DateTime } from '../../common/date-time';
import { EmptyState } from '../../common/empty-state';
import { useRowsShown } from '../../common/rows-shown';
import { abilityName } from './ability-name';
import { agentsQuery } from './queries';

/** The agents that are connected now. */
export function AgentsTable({ environmentID }: { environmentID: string }) {
  const { t } = useTranslation('environments');
  const query = useQuery(agentsQuery(environmentID));
  const shown = useRowsShown(query, query.data ?? []);
  return (
    <DataTable
      label={t('agents.title')}
      query={shown.query}
      rows={shown.rows}
      rowKey={({ name, connectedAt }) => `${connectedAt} ${name}`}
      columns={useColumns()}
      empty={<EmptyState title={t('agents.empty')} text={t('agents.emptyText')} />}
    />
  );
}

function useColumns(): Column<AgentAnswer>[] {
  const { t } = useTranslation(['environments', 'flow-editor']);
  return [
    { key: 'name', title: t('agents.name'), render: ({ name }) => <Text fw={500}>{name}</Text> },
    { key: 'version', title: t('agents.version'), render: ({ runtimeVersion }) => <span>{runtimeVersion}</span> },
    { key: 'capacity', title: t('columns.capacity'), render: ({ capacity }) => <span>{capacity}</span> },
    { key: 'since', title: t('agents.since'), render: ({ connectedAt }) => <DateTime value={connectedAt} /> },
    {
      key: 'abilities',
      title: t('agents.abilities'),
      render: ({ abilities }) => (
        <Group gap="4px 12px">
          {abilities.map((ability) => (
            <Text key={ability} size="sm" ta="start" component="span">
              {abilityName(ability, t)} <Code>{ability}</Code>
            </Text>
          ))}
        </Group>
      ),
    },
    {
      key: 'fingerprint',
      title: t('agents.fingerprint'),
      render: ({ keyFingerprint }) => (
        <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {keyFingerprint ?? t('agents.noKey')}
        </Text>
      ),
    },
  ];
}
