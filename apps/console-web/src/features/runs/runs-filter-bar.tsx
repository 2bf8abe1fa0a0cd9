import { Button, Group, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { FilterDayField } from '../../common/filter-fields';
import { oneOf } from '../../common/search-params';
import { processChoicesQuery } from '../processes/queries';
import { isFiltered, type RunFilter } from './run-filter';
import { RUN_STATUSES, TRIGGERS } from './run-status';

interface FilterBarProps {
  filter: RunFilter;
  onChange: (change: RunFilter) => void;
}

export function RunsFilterBar({ filter, onChange }: FilterBarProps) {
  const { t } = useTranslation('runs');
  return (
    <Group mb="md" align="flex-end" gap="sm">
      <ProcessChoice filter={filter} onChange={onChange} />
      <NativeSelect
        label={t('columns.status')}
        value={filter.status ?? ''}
        onChange={({ currentTarget }) => onChange({ status: oneOf(RUN_STATUSES)(currentTarget.value) })}
        data={[
          { value: '', label: t('filter.anyStatus') },
          ...RUN_STATUSES.map((value) => ({ value, label: t(`statuses.${value}`) })),
        ]}
      />
      <NativeSelect
        label={t('columns.origin')}
        value={filter.origin ?? ''}
        onChange={({ currentTarget }) => onChange({ origin: oneOf(TRIGGERS)(currentTarget.value) })}
        data={[
          { value: '', label: t('filter.anyOrigin') },
          ...TRIGGERS.map((value) => ({ value, label: t(`origins.${value}`) })),
        ]}
      />
      {(['from', 'to'] as const).map((end) => (
        <FilterDayField
          key={end}
          label={t(`filter.${end}`)}
          max={end === 'from' ? filter.to : undefined}
          min={end === 'to' ? filter.from : undefined}
          value={filter[end]}
          onChange={(day) => onChange({ [end]: day })}
        />
      ))}
      {isFiltered(filter) && (
        <Button
          variant="subtle"
          onClick={() =>
            onChange({ process: undefined, status: undefined, origin: undefined, from: undefined, to: undefined })
          }
        >
          {t('filter.clear')}
        </Button>
      )}
    </Group>
  );
}

function ProcessChoice({ filter, onChange }: FilterBarProps) {
  const { t } = useTranslation('runs');
  const processes = useQuery(processChoicesQuery).data ?? [];
  const { process } = filter;
  // A shared address may name a process that is not among the choices.
  const isUnlisted = process !== undefined && !processes.some(({ processID }) => processID === process);
  return (
    <NativeSelect
      label={t('columns.process')}
      maw="100%"
      value={process ?? ''}
      onChange={({ currentTarget }) => onChange({ process: currentTarget.value || undefined })}
      data={[
        { value: '', label: t('filter.anyProcess') },
        ...processes.map(({ processID, processName }) => ({ value: processID, label: processName })),
        ...(isUnlisted ? [{ value: process, label: t('filter.oneProcess') }] : []),
      ]}
    />
  );
}
