import { MultiSelect, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useChoiceError } from '../../common/choice-error';
import { FilterBar, type FilterBarProps } from '../../common/filter-bar';
import { FilterPeriodFields } from '../../common/filter-fields';
import { environmentChoicesQuery, processChoicesQuery } from '../processes/queries';
import { NO_FILTER, type RunSearch } from './run-filter';
import { RUN_STATUSES, TRIGGERS } from './run-status';

type RunsFilterBarProps = FilterBarProps<RunSearch>;

export function RunsFilterBar({ filter, onChange }: RunsFilterBarProps) {
  const { t } = useTranslation('runs');
  return (
    <FilterBar filter={filter} onChange={onChange} none={NO_FILTER}>
      <ProcessChoice filter={filter} onChange={onChange} />
      <EnvironmentChoice filter={filter} onChange={onChange} />
      <SeveralChoice
        label={t('columns.status')}
        any={t('filter.anyStatus')}
        choices={RUN_STATUSES.map((value) => ({ value, label: t(`statuses.${value}`) }))}
        value={filter.status}
        onChange={(status) => onChange({ status })}
      />
      <SeveralChoice
        label={t('columns.origin')}
        any={t('filter.anyOrigin')}
        choices={TRIGGERS.map((value) => ({ value, label: t(`origins.${value}`) }))}
        value={filter.origin}
        onChange={(origin) => onChange({ origin })}
      />
      <FilterPeriodFields from={filter.from} to={filter.to} onChange={onChange} />
    </FilterBar>
  );
}

interface SeveralChoiceProps {
  label: string;
  /** The text of the empty field: without a choice nothing is filtered. */
  any: string;
  choices: { value: string; label: string }[];
  /** The chosen values, separated by commas. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function SeveralChoice({ label, any, choices, value, onChange }: SeveralChoiceProps) {
  const chosen = value?.split(',') ?? [];
  return (
    <MultiSelect
      label={label}
      placeholder={chosen.length === 0 ? any : undefined}
      miw={180}
      maw={{ base: '100%', md: chosen.length > 1 ? 400 : 190 }}
      value={chosen}
      onChange={(values) => onChange(values.join(',') || undefined)}
      data={choices}
    />
  );
}

function ProcessChoice({ filter, onChange }: RunsFilterBarProps) {
  const { t } = useTranslation('runs');
  const processes = useQuery(processChoicesQuery);
  return (
    <Choice
      label={t('columns.process')}
      any={t('filter.anyProcess')}
      unlisted={t('filter.oneProcess')}
      query={processes}
      choices={processes.data?.map(({ processID, processName }) => ({ value: processID, label: processName }))}
      value={filter.process}
      onChange={(process) => onChange({ process })}
    />
  );
}

function EnvironmentChoice({ filter, onChange }: RunsFilterBarProps) {
  const { t } = useTranslation('runs');
  const environments = useQuery(environmentChoicesQuery);
  return (
    <Choice
      label={t('filter.environment')}
      any={t('filter.anyEnvironment')}
      unlisted={t('filter.oneEnvironment')}
      query={environments}
      choices={environments.data?.map(({ environmentID, name }) => ({ value: environmentID, label: name }))}
      value={filter.environment}
      onChange={(environment) => onChange({ environment })}
    />
  );
}

interface ChoiceProps {
  label: string;
  /** The label of the choice that does not filter. */
  any: string;
  /** The label of a value that a shared address names and that is not among the choices. */
  unlisted: string;
  query: { error: Error | null };
  choices: { value: string; label: string }[] | undefined;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function Choice({ label, any, unlisted, query, choices = [], value, onChange }: ChoiceProps) {
  const isUnlisted = value !== undefined && !choices.some((choice) => choice.value === value);
  return (
    <NativeSelect
      label={label}
      maw="100%"
      error={useChoiceError(query)}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      data={[{ value: '', label: any }, ...choices, ...(isUnlisted ? [{ value, label: unlisted }] : [])]}
    />
  );
}
